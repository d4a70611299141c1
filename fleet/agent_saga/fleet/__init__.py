"""Certification of many sagas by many workers: parts of one log judged apart, and one certificate over all of them.

Source: docs/spec/certificate-v1.md.
"""
