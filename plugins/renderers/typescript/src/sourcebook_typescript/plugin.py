"""The renderers `typescript` and `ts`."""
