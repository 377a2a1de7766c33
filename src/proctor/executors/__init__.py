"""Which machine works through the queue."""
