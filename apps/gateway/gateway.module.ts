import { Module } from '@nestjs/common';
import { ServingModule } from '#loop/serving';
import { DeploymentsController, GatewayController } from '#loop/serving/http';

@Module({ imports: [ServingModule], controllers: [GatewayController, DeploymentsController] })
export class GatewayModule {}
