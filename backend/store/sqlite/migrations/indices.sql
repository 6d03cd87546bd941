-- All indices, as they are today: made at each start, without a number, since no program depends on one.
-- Each is as small as its queries allow: partial, or of few rows. `tasks_ended` was ordered by the clock,
-- `tasks_resumable` by status: a user's tasks are looked for by user.
DROP INDEX IF EXISTS tasks_ended;
CREATE INDEX IF NOT EXISTS tasks_by_id ON tasks (task_id);
CREATE INDEX IF NOT EXISTS tasks_unfinished ON tasks (user_id, turn)
    WHERE status NOT IN ('completed', 'failed', 'interrupted');
CREATE INDEX IF NOT EXISTS tasks_in_turn ON tasks (user_id, turn) WHERE aside = 0;
DROP INDEX IF EXISTS tasks_resumable;
CREATE INDEX IF NOT EXISTS tasks_to_resume ON tasks (user_id, turn)
    WHERE status NOT IN ('completed', 'failed', 'interrupted') OR reason = 'shutdown';
CREATE INDEX IF NOT EXISTS inputs_by_turn ON inputs (user_id, turn, number);
CREATE INDEX IF NOT EXISTS inputs_open ON inputs (expires_at) WHERE resolution IS NULL;
CREATE INDEX IF NOT EXISTS tool_calls_unsettled ON tool_calls (user_id) WHERE unsettled;
CREATE INDEX IF NOT EXISTS thread_steps_by_id ON thread_steps (user_id, graph, step_id);
CREATE INDEX IF NOT EXISTS threads_by_creation ON threads (created_at, user_id);
CREATE INDEX IF NOT EXISTS threads_by_change ON threads (updated_at, user_id);
CREATE INDEX IF NOT EXISTS conversations_of ON conversations (person, begun_at, user_id);
CREATE INDEX IF NOT EXISTS conversations_by_begin ON conversations (begun_at, user_id);
CREATE INDEX IF NOT EXISTS tasks_by_end ON tasks (updated_at, user_id, turn)
    WHERE status IN ('completed', 'failed', 'interrupted');
