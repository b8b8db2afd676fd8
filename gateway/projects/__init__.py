"""Projects: a folder with `supabase/`, run as it stands.

`folder` finds it and names its files, `config` reads its config.toml into settings, `statements` splits its SQL as the
official CLI does, `ledger` keeps what was applied where that CLI looks, `apply` runs files, `database` puts these
together for a new database, a push and a reset.
"""
