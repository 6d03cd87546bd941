-- Buckets of tokens, by which replicas limit together how often something happens. A bucket that is not here is
-- full, so they need not outlive a crash: the table is not logged, and taking from it waits for no disk.
--
-- `kind` is the limit, `key` whose bucket it is: a user's id or an address. They are deleted once they are full,
-- and not with the user: or a user would get a full bucket by deleting everything.

CREATE UNLOGGED TABLE detour.buckets (
    kind text COLLATE "C", key text COLLATE "C",
    tokens double precision NOT NULL,
    at timestamptz NOT NULL,
    full_at timestamptz NOT NULL,
    PRIMARY KEY (kind, key)
) WITH (fillfactor = 60);

-- Takes `counts[i]` tokens from the bucket of `kinds[i]` and `keys[i]`, for all of them or, if one holds too few,
-- for none; with `owed` in any case. No bucket may be named twice. `held` is what each holds afterwards. The time
-- is the database's, the same for all replicas.
CREATE FUNCTION detour.take_tokens(
    kinds text[], keys text[], capacities double precision[], rates double precision[],
    counts double precision[], owed boolean, OUT taken boolean, OUT held double precision[]
) LANGUAGE plpgsql
-- A plan that was made for few buckets is kept when there are many: it must not read them all.
SET enable_seqscan = off
AS $$
DECLARE
    now_ timestamptz;
BEGIN
    -- Locks the rows, those that are made here included, always in the same order: so nobody waits in a circle.
    INSERT INTO detour.buckets AS b (kind, key, tokens, at, full_at)
        SELECT asked.kind, asked.key, asked.capacity, '-infinity', '-infinity'
        FROM unnest(kinds, keys, capacities) AS asked (kind, key, capacity) ORDER BY asked.kind, asked.key
        ON CONFLICT (kind, key) DO UPDATE SET tokens = b.tokens WHERE false;
    -- Once they are locked: who waited for them must not take at an instant before the last one's.
    now_ := clock_timestamp();
    -- Where that was set back: else nothing would come back before it is as late again.
    UPDATE detour.buckets b SET at = now_, full_at = now_ + (b.full_at - b.at)
        FROM unnest(kinds, keys) AS asked (kind, key)
        WHERE b.kind = asked.kind AND b.key = asked.key AND b.at > now_;
    SELECT bool_and(h.tokens >= h.count - 1e-9), array_agg(h.tokens ORDER BY h.number) INTO taken, held FROM (
        SELECT asked.number, asked.count, CASE WHEN b.full_at <= now_ THEN asked.capacity ELSE
            least(asked.capacity, b.tokens + asked.rate
                * extract(epoch FROM now_ - b.at)::double precision) END AS tokens
        FROM unnest(kinds, keys, capacities, rates, counts) WITH ORDINALITY
            AS asked (kind, key, capacity, rate, count, number)
        JOIN detour.buckets b ON b.kind = asked.kind AND b.key = asked.key) h;
    IF NOT (taken OR owed) THEN
        RETURN;
    END IF;
    SELECT array_agg(greatest(h.tokens - h.count, -h.capacity) ORDER BY h.number) INTO held
        FROM unnest(held, counts, capacities) WITH ORDINALITY AS h (tokens, count, capacity, number);
    UPDATE detour.buckets b SET tokens = asked.tokens, at = now_,
        full_at = now_ + make_interval(secs => (asked.capacity - asked.tokens) / asked.rate)
        FROM unnest(kinds, keys, capacities, rates, held) AS asked (kind, key, capacity, rate, tokens)
        WHERE b.kind = asked.kind AND b.key = asked.key;
END $$;

-- Deletes some of the buckets that are full; passes over those that somebody takes from.
CREATE FUNCTION detour.forget_full_buckets(most int) RETURNS void LANGUAGE sql AS $$
    DELETE FROM detour.buckets b WHERE b.ctid = ANY (ARRAY(
        SELECT f.ctid FROM detour.buckets f WHERE f.full_at <= clock_timestamp()
        LIMIT most FOR UPDATE SKIP LOCKED))
$$;
