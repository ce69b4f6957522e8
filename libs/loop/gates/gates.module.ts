import { Module } from '@nestjs/common';
import { GatesRepository } from './gates.repository.js';
import { Gates } from './gates.service.js';

@Module({ providers: [GatesRepository, Gates], exports: [Gates] })
export class GatesModule {}
