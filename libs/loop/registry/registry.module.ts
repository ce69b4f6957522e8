import { Module } from '@nestjs/common';
import { RegistryRepository } from './registry.repository.js';
import { Registry } from './registry.service.js';

@Module({ providers: [RegistryRepository, Registry], exports: [Registry] })
export class RegistryModule {}
