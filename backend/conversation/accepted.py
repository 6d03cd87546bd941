"""The answer to an accepted message, and the same answer for its retries."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, NotRequired

import orjson
from typing_extensions import TypedDict

from ..domain.encoding import encode
from ..domain.errors import BadInput
from ..domain.task import Policy, Steer, Task, TaskStatus
from ..store.records import Acceptance


class ChatAnswer(TypedDict):
    """An accepted message; `graph` is the name of the graph that answers it, of a server of several.

    Of a message that was sent with the policy `steer`, `steer` says what has become of it, and `message_id`
    which message of the conversation it is; `policy` is another one if nothing could be steered.
    """

    task_id: str
    user_id: str
    status: TaskStatus
    policy: Policy
    relation: str | None
    interrupted_task_id: str | None
    duplicate: bool
    graph: NotRequired[str]
    message_id: NotRequired[str]
    steer: NotRequired[Steer]
    seq: int
    epoch: str
    websocket: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The answer to an accepted message, in the contract's words."""

    task_id: str
    user_id: str
    status: TaskStatus
    policy: Policy
    relation: str | None
    interrupted_task_id: str | None
    epoch: str
    graph: str | None = None
    message_id: str | None = None
    steer: Steer | None = None
    seq: int = 0
    duplicate: bool = False

    @classmethod
    def of(cls, task: Task, *, superseded: str | None, epoch: str) -> "Accepted":
        """Return the answer to a message that starts a task; `superseded` is the task that it interrupts."""
        return cls(
            task_id=task.task_id,
            user_id=task.user_id,
            status=task.status,
            policy=task.policy,
            relation=task.relation,
            interrupted_task_id=superseded,
            epoch=epoch,
            graph=task.graph,
        )

    @classmethod
    def again(cls, seq: int, body: bytes, message: str) -> "Accepted":
        """Return the answer stored for a message's retries. Raises `BadInput` for another message."""
        first: dict[str, Any] = orjson.loads(body)
        if first["message"] != message:
            raise BadInput("client_id: it was used for another message.", code="client_id_reused")
        return cls.read({**first, "seq": seq, "duplicate": True})

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Accepted":
        """Return an answer from its contract's form; what a later release says beside it is passed over."""
        known: dict[str, Any] = {each.name: told[each.name] for each in fields(cls) if each.name in told}
        known["status"] = TaskStatus(told["status"])
        return cls(**known)

    def kept_for(self, client_id: str, message: str) -> Acceptance:
        """Return the record of this answer, for retries of the message with its client id."""
        # Without `seq`, which the store gives in the transaction that this record is part of.
        return Acceptance(client_id, encode({**self.to_wire(), "seq": None, "message": message}))

    def to_wire(self) -> ChatAnswer:
        """Return the contract's form."""
        answer: ChatAnswer = {
            "task_id": self.task_id,
            "user_id": self.user_id,
            "status": self.status,
            "policy": self.policy,
            "relation": self.relation,
            "interrupted_task_id": self.interrupted_task_id,
            "duplicate": self.duplicate,
            "seq": self.seq,
            "epoch": self.epoch,
            "websocket": f"/ws/{self.user_id}",
        }
        if self.graph is not None:
            answer["graph"] = self.graph
        if self.steer is not None and self.message_id is not None:
            answer["message_id"], answer["steer"] = self.message_id, self.steer
        return answer
