-- The store of agent-saga in PostgreSQL, schema 1. Run it with `agent-saga store migrate postgresql://...`, or by hand:
-- one transaction, by a user who may create schemas and roles, on PostgreSQL 17 or newer (docs/guide/postgres.md).
--
-- events   the exact bytes of every line, keyed (saga, seq); never changed, never removed
-- log      the global order: one row for each batch of lines, so that line `pos` of a batch has index `first + pos`
-- pending  batches that are durable and not in the log yet; agent_saga.sequence() puts them there
--
-- Roles (none can log in; grant them to those who do):
--   agent_saga_append    appends lines, takes leases, remembers values; may update or delete no line
--   agent_saga_sequence  owns the functions that write the log, and may do nothing else
--   agent_saga_read      reads lines, the log, figures
--   agent_saga_vault     reads and writes what opens concealed values, and its keys

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['agent_saga_append', 'agent_saga_sequence', 'agent_saga_read', 'agent_saga_vault'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN', name);
      END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL; -- another database of this server was migrated at the same moment
    END;
  END LOOP;
END $$;

CREATE SCHEMA agent_saga;
CREATE SCHEMA agent_saga_vault;

CREATE TABLE agent_saga.versions (
  version integer PRIMARY KEY,
  applied timestamptz NOT NULL DEFAULT now()
);

CREATE SEQUENCE agent_saga.batches AS bigint;

CREATE TABLE agent_saga.events (
  saga text COLLATE "C" NOT NULL,
  seq bigint NOT NULL CHECK (seq >= 0),
  batch bigint NOT NULL,
  pos integer NOT NULL CHECK (pos >= 0),
  ends boolean NOT NULL,
  line bytea NOT NULL,
  PRIMARY KEY (saga, seq),
  UNIQUE (batch, pos)
);

CREATE INDEX events_edges ON agent_saga.events (batch) WHERE seq = 0 OR ends;

CREATE TABLE agent_saga.log (
  first bigint PRIMARY KEY CHECK (first >= 0),
  lines integer NOT NULL CHECK (lines > 0),
  batch bigint NOT NULL UNIQUE
);

CREATE TABLE agent_saga.pending (
  batch bigint PRIMARY KEY,
  lines integer NOT NULL CHECK (lines > 0)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE agent_saga.sagas (
  saga text COLLATE "C" PRIMARY KEY,
  first bigint NOT NULL UNIQUE,
  ended boolean NOT NULL DEFAULT false
);

CREATE INDEX sagas_open ON agent_saga.sagas (first) WHERE NOT ended;

CREATE TABLE agent_saga.leases (
  saga text COLLATE "C" PRIMARY KEY,
  holder text NOT NULL,
  token bigint NOT NULL,
  until double precision NOT NULL
) WITH (fillfactor = 70);

CREATE TABLE agent_saga.spends (
  budget bytea NOT NULL CHECK (length(budget) = 32),
  at bigint NOT NULL,
  saga text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  lim text NOT NULL,
  key bytea NOT NULL,
  PRIMARY KEY (budget, at, saga, seq)
);

CREATE TABLE agent_saga.memory (
  key text COLLATE "C" PRIMARY KEY,
  value bytea NOT NULL
);

CREATE TABLE agent_saga_vault.disclosures (
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  digest text COLLATE "C" NOT NULL UNIQUE,
  saga text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  key text NOT NULL,
  sealed bytea NOT NULL
);

CREATE INDEX disclosures_saga ON agent_saga_vault.disclosures (saga);
CREATE INDEX disclosures_subject ON agent_saga_vault.disclosures (subject);

CREATE TABLE agent_saga_vault.erased (
  digest text COLLATE "C" PRIMARY KEY,
  saga text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  at double precision NOT NULL
);

CREATE TABLE agent_saga_vault.holds (
  saga text COLLATE "C" PRIMARY KEY,
  reason text NOT NULL,
  since double precision NOT NULL
);

CREATE TABLE agent_saga_vault.keys (
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  subject text COLLATE "C" NOT NULL,
  key bytea NOT NULL CHECK (length(key) = 32)
);

CREATE INDEX keys_subject ON agent_saga_vault.keys (subject);

-- What is there stays there, whoever asks: also the owner of the tables has to remove a trigger first.

CREATE FUNCTION agent_saga.refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION '%.% is append-only: % refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP
    USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON agent_saga.events
  FOR EACH STATEMENT EXECUTE FUNCTION agent_saga.refuse();
CREATE TRIGGER log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON agent_saga.log
  FOR EACH STATEMENT EXECUTE FUNCTION agent_saga.refuse();
CREATE TRIGGER spends_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON agent_saga.spends
  FOR EACH STATEMENT EXECUTE FUNCTION agent_saga.refuse();
CREATE TRIGGER sagas_stay BEFORE DELETE OR TRUNCATE ON agent_saga.sagas
  FOR EACH STATEMENT EXECUTE FUNCTION agent_saga.refuse();
CREATE TRIGGER leases_stay BEFORE DELETE OR TRUNCATE ON agent_saga.leases
  FOR EACH STATEMENT EXECUTE FUNCTION agent_saga.refuse();
CREATE TRIGGER erased_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON agent_saga_vault.erased
  FOR EACH STATEMENT EXECUTE FUNCTION agent_saga.refuse();
CREATE TRIGGER keys_no_update BEFORE UPDATE OR TRUNCATE ON agent_saga_vault.keys
  FOR EACH STATEMENT EXECUTE FUNCTION agent_saga.refuse();
CREATE TRIGGER disclosures_no_truncate BEFORE TRUNCATE ON agent_saga_vault.disclosures
  FOR EACH STATEMENT EXECUTE FUNCTION agent_saga.refuse();

CREATE FUNCTION agent_saga.only_forward() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF TG_TABLE_NAME = 'leases' THEN
    IF NEW.saga <> OLD.saga OR NEW.token < OLD.token THEN
      RAISE EXCEPTION 'tokens only grow' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
  ELSIF NEW.saga <> OLD.saga OR NEW.first <> OLD.first OR NEW.ended < OLD.ended THEN
    RAISE EXCEPTION 'a saga only ends' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER leases_forward BEFORE UPDATE ON agent_saga.leases
  FOR EACH ROW EXECUTE FUNCTION agent_saga.only_forward();
CREATE TRIGGER sagas_end BEFORE UPDATE ON agent_saga.sagas
  FOR EACH ROW EXECUTE FUNCTION agent_saga.only_forward();

CREATE FUNCTION agent_saga.no_gap() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF NEW.first <> coalesce((SELECT l.first + l.lines FROM agent_saga.log l ORDER BY l.first DESC LIMIT 1), 0) THEN
    RAISE EXCEPTION 'the log is without gaps' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER log_no_gap BEFORE INSERT ON agent_saga.log
  FOR EACH ROW EXECUTE FUNCTION agent_saga.no_gap();

CREATE FUNCTION agent_saga.erasing() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF EXISTS (SELECT 1 FROM agent_saga_vault.erased e WHERE e.digest = NEW.digest) THEN
      RETURN NULL; -- what was erased is not taken in again
    END IF;
    RETURN NEW;
  END IF;
  IF EXISTS (SELECT 1 FROM agent_saga_vault.holds h WHERE h.saga = OLD.saga) THEN
    RAISE EXCEPTION 'the saga is under legal hold' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER disclosures_erased BEFORE INSERT OR DELETE ON agent_saga_vault.disclosures
  FOR EACH ROW EXECUTE FUNCTION agent_saga.erasing();

-- The sequencer. Whoever holds the advisory lock (1095984993, 1) is it, until his transaction ends; others wait.

CREATE FUNCTION agent_saga.require_lines(own bigint, own_lines integer) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF (SELECT (count(*), min(e.pos), max(e.pos)) IS DISTINCT FROM (own_lines::bigint, 0, own_lines - 1)
      FROM agent_saga.events e WHERE e.batch = own) THEN
    RAISE EXCEPTION 'batch % does not hold % lines', own, own_lines USING ERRCODE = 'integrity_constraint_violation';
  END IF;
END $$;

-- Puts what is pending, and then a batch of this transaction, behind the end of the log. Only for who has the lock.
-- A plan is made once a session, maybe when the tables were empty: so it is told to use the indexes.
CREATE FUNCTION agent_saga.put(own bigint, own_lines integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  behind bigint := coalesce((SELECT l.first + l.lines FROM agent_saga.log l ORDER BY l.first DESC LIMIT 1), 0);
  placed boolean := own IS NOT NULL;
  one record;
BEGIN
  -- Batches are numbered after their transaction has read the heads it writes behind, so this order keeps every chain.
  FOR one IN SELECT p.batch, p.lines FROM agent_saga.pending p ORDER BY p.batch LOOP
    PERFORM agent_saga.put_one(behind, one.batch, one.lines);
    DELETE FROM agent_saga.pending p WHERE p.batch = one.batch;
    behind := behind + one.lines;
    placed := true;
  END LOOP;
  IF own IS NOT NULL THEN
    PERFORM agent_saga.put_one(behind, own, own_lines);
  END IF;
  IF placed THEN
    PERFORM pg_notify('agent_saga_log', '');
  END IF;
  RETURN behind;
END $$;

-- One batch into the log, and what it begins and ends into the table of sagas.
CREATE FUNCTION agent_saga.put_one(index bigint, its_batch bigint, its_lines integer) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO agent_saga.log VALUES (index, its_lines, its_batch);
  INSERT INTO agent_saga.sagas (saga, first)
    SELECT e.saga, index + e.pos FROM agent_saga.events e
    WHERE e.batch = its_batch AND (e.seq = 0 OR e.ends) AND e.seq = 0;
  UPDATE agent_saga.sagas s SET ended = true FROM agent_saga.events e
    WHERE e.batch = its_batch AND (e.seq = 0 OR e.ends) AND e.ends AND s.saga = e.saga AND NOT s.ended;
END $$;

-- Gives a batch of this transaction its place now, if nobody else is the sequencer: returns the index of its first line.
-- Else the batch becomes pending, and the answer is NULL: commit, then call agent_saga.sequence().
CREATE FUNCTION agent_saga.place(own bigint, own_lines integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  PERFORM agent_saga.require_lines(own, own_lines);
  IF pg_try_advisory_xact_lock(1095984993, 1) THEN
    RETURN agent_saga.put(own, own_lines);
  END IF;
  INSERT INTO agent_saga.pending VALUES (own, own_lines);
  RETURN NULL;
END $$;

-- Puts everything that is pending into the log, after whoever is at it: returns the next index, which stays the next
-- one until this transaction ends.
CREATE FUNCTION agent_saga.sequence() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1095984993, 1);
  RETURN agent_saga.put(NULL, NULL);
END $$;

-- The lines as a log: a line is shown when it has its index, and then every line before it has been shown.
CREATE VIEW agent_saga.lines AS
  SELECT l.first + e.pos AS idx, e.saga, e.seq, e.line
  FROM agent_saga.log l JOIN agent_saga.events e ON e.batch = l.batch AND e.pos < l.lines;

-- Who may do what.

REVOKE ALL ON ALL TABLES IN SCHEMA agent_saga, agent_saga_vault FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA agent_saga FROM PUBLIC;

GRANT USAGE ON SCHEMA agent_saga TO agent_saga_append, agent_saga_sequence, agent_saga_read;
GRANT SELECT ON agent_saga.versions TO agent_saga_append, agent_saga_read;

GRANT SELECT, INSERT ON agent_saga.events TO agent_saga_append;
GRANT SELECT ON agent_saga.log, agent_saga.pending, agent_saga.sagas, agent_saga.lines TO agent_saga_append;
GRANT SELECT, INSERT, UPDATE (holder, token, until) ON agent_saga.leases TO agent_saga_append;
GRANT SELECT, INSERT ON agent_saga.spends TO agent_saga_append;
GRANT SELECT, INSERT, UPDATE (value) ON agent_saga.memory TO agent_saga_append;
GRANT USAGE ON SEQUENCE agent_saga.batches TO agent_saga_append;
GRANT EXECUTE ON FUNCTION agent_saga.place(bigint, integer), agent_saga.sequence() TO agent_saga_append;

GRANT SELECT ON agent_saga.events TO agent_saga_sequence;
GRANT SELECT, INSERT ON agent_saga.log TO agent_saga_sequence;
GRANT SELECT, INSERT, DELETE ON agent_saga.pending TO agent_saga_sequence;
GRANT SELECT, INSERT, UPDATE (ended) ON agent_saga.sagas TO agent_saga_sequence;
GRANT EXECUTE ON FUNCTION agent_saga.require_lines(bigint, integer), agent_saga.put(bigint, integer),
  agent_saga.put_one(bigint, bigint, integer) TO agent_saga_sequence;

GRANT SELECT ON agent_saga.events, agent_saga.log, agent_saga.pending, agent_saga.sagas, agent_saga.leases,
  agent_saga.spends, agent_saga.lines TO agent_saga_read;

GRANT USAGE ON SCHEMA agent_saga_vault TO agent_saga_vault;
GRANT SELECT, INSERT, DELETE, UPDATE (key, sealed) ON agent_saga_vault.disclosures TO agent_saga_vault;
GRANT SELECT, INSERT ON agent_saga_vault.erased TO agent_saga_vault;
GRANT SELECT, INSERT, DELETE, UPDATE (reason) ON agent_saga_vault.holds TO agent_saga_vault;
GRANT SELECT, INSERT, DELETE ON agent_saga_vault.keys TO agent_saga_vault;
GRANT USAGE ON SCHEMA agent_saga TO agent_saga_vault;
GRANT MAINTAIN ON agent_saga_vault.disclosures, agent_saga_vault.keys TO agent_saga_vault;

-- The functions that write the log run as the sequencer, not as who calls them. Giving them to that role needs the right
-- to be it, and the role needs the schema for that moment.
DO $$
BEGIN
  IF NOT pg_has_role(current_user, 'agent_saga_sequence', 'SET') THEN
    EXECUTE format('GRANT agent_saga_sequence TO %I', current_user);
  END IF;
END $$;
GRANT CREATE ON SCHEMA agent_saga TO agent_saga_sequence;
ALTER FUNCTION agent_saga.place(bigint, integer) OWNER TO agent_saga_sequence;
ALTER FUNCTION agent_saga.sequence() OWNER TO agent_saga_sequence;
REVOKE CREATE ON SCHEMA agent_saga FROM agent_saga_sequence;

INSERT INTO agent_saga.versions (version) VALUES (1);
