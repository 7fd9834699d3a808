"""Plays torch.utils."""
