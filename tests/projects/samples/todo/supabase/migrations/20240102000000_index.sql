-- Found by title; made without locking the table.
create index concurrently todos_title on public.todos (title);
