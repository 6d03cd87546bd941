"""Names the event logs of users who have not written yet, so that a promised name outlives a kill."""

from hashlib import blake2b


def epoch_of(identity: str, deletions: int, user_id: str) -> str:
    """Return the epoch of a user's next log in a store of that identity, after so many users were deleted.

    A user who is deleted gets another epoch by the count; nothing has to be kept about who it was.
    """
    return blake2b(f"{identity} {deletions} {user_id}".encode(), digest_size=4).hexdigest()
