import { Module } from '@nestjs/common';
import { TrainingRepository } from './training.repository.js';
import { Training } from './training.service.js';

@Module({ providers: [TrainingRepository, Training], exports: [Training] })
export class TrainingModule {}
