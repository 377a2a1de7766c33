"""The append-only event log of each run, its recovery after a crash, and blobs by content hash."""
