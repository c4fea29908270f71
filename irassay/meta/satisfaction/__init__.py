"""Satisfaction: metrics beside what users say."""
