/** Outgoing HTTP to addresses that settings or people name. */
export { guardedFetch, type GuardedFetchOptions, type GuardedResponse } from './guarded-fetch.js';
export { addressKind, type AddressKind } from './address.js';
