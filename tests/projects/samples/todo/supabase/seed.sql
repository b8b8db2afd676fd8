insert into public.todos (title, owner) values ('A row of the seed', null);
