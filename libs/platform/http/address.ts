import { BlockList, isIP } from 'node:net';

/** `forbidden`: link-local (cloud metadata services live there), unspecified, multicast and reserved ranges. */
export type AddressKind = 'loopback' | 'private' | 'public' | 'forbidden';

const loopback = listOf([['127.0.0.0', 8, 'ipv4'], ['::1', 128, 'ipv6']]); // prettier-ignore

const privateRanges = listOf([
  ['10.0.0.0', 8, 'ipv4'], ['172.16.0.0', 12, 'ipv4'], ['192.168.0.0', 16, 'ipv4'], ['100.64.0.0', 10, 'ipv4'],
  ['fc00::', 7, 'ipv6'],
]); // prettier-ignore

const forbidden = listOf([
  ['0.0.0.0', 8, 'ipv4'], ['169.254.0.0', 16, 'ipv4'], ['192.0.0.0', 24, 'ipv4'], ['224.0.0.0', 4, 'ipv4'],
  ['240.0.0.0', 4, 'ipv4'], ['::', 128, 'ipv6'], ['fe80::', 10, 'ipv6'], ['ff00::', 8, 'ipv6'],
  // Metadata services that sit outside the link-local ranges.
  ['100.100.100.200', 32, 'ipv4'], ['168.63.129.16', 32, 'ipv4'], ['fd00:ec2::254', 128, 'ipv6'],
  // Translated and tunnelled IPv4 hides the address that is meant.
  ['64:ff9b::', 96, 'ipv6'], ['2002::', 16, 'ipv6'],
]); // prettier-ignore

/** What an IP address is for. Anything that is no IP address is forbidden. */
export function addressKind(address: string): AddressKind {
  const mapped = /^::ffff:(.+)$/i.exec(address)?.[1];
  const plain = mapped === undefined ? address : (dottedFrom(mapped) ?? address);
  const version = isIP(plain);
  if (version === 0) return 'forbidden';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (forbidden.check(plain, family)) return 'forbidden';
  if (loopback.check(plain, family)) return 'loopback';
  return privateRanges.check(plain, family) ? 'private' : 'public';
}

/** `127.0.0.1` or its two hexadecimal groups `7f00:1`. */
function dottedFrom(text: string): string | undefined {
  if (isIP(text) === 4) return text;
  const [, high, low] = /^([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(text) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}

function listOf(subnets: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix, family] of subnets) list.addSubnet(net, prefix, family);
  return list;
}
