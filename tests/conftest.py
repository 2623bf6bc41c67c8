"""What all tests share: hypothesis without a time limit, so that a busy machine fails nothing."""

from hypothesis import settings

settings.register_profile("suite", deadline=None)
settings.load_profile("suite")
