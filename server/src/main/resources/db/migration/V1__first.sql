-- Times are microseconds since 1970 UTC. Common subset of SQLite and PostgreSQL.
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  tenant TEXT NOT NULL,
  role TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT
);

-- document: the sandbox as last recorded. request: what asked for it, without secrets; kept until placed.
CREATE TABLE sandboxes (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  owner TEXT NOT NULL,
  state TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  ended_at BIGINT,
  request TEXT,
  document TEXT NOT NULL
);
CREATE INDEX sandboxes_by_tenant ON sandboxes (tenant, created_at, id);
CREATE INDEX sandboxes_by_end ON sandboxes (ended_at);

CREATE TABLE sandbox_labels (
  sandbox TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (sandbox, name)
);
CREATE INDEX sandbox_labels_by_value ON sandbox_labels (name, value, sandbox);

-- What a client-given identity led to.
CREATE TABLE claims (
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  content TEXT NOT NULL,
  target TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, kind, name)
);
CREATE INDEX claims_by_age ON claims (created_at);

CREATE TABLE tasks (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  state TEXT NOT NULL,
  sandbox TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  ended_at BIGINT,
  result TEXT
);
CREATE INDEX tasks_by_end ON tasks (ended_at);

CREATE TABLE batches (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  total INTEGER NOT NULL,
  document TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  ended_at BIGINT
);
CREATE INDEX batches_by_tenant ON batches (tenant, created_at, id);

-- after_idx: JSON array of the tasks it waits for. kind, fault, ok: its ending in short.
-- ended_n counts the batch's endings: the order in which results appeared.
CREATE TABLE batch_tasks (
  batch TEXT NOT NULL,
  idx INTEGER NOT NULL,
  id TEXT NOT NULL,
  after_idx TEXT,
  task TEXT NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  sandbox TEXT,
  ended_n BIGINT,
  kind TEXT,
  fault INTEGER,
  ok INTEGER,
  result TEXT,
  PRIMARY KEY (batch, idx)
);
CREATE INDEX batch_tasks_by_end ON batch_tasks (batch, ended_n);
