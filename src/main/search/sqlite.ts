// CommonJS, whose names not every loader finds: the default is all of them.
import sqlite from 'node-sqlite3-wasm';

export const { Database, SQLite3Error } = sqlite;
