"""Trains one LoRA adapter. In: job.json. Out: metrics.jsonl and an adapter folder."""
