-- `gateway users grant` gives the roles of this table.

select gateway.keep_roles_in('public.user_roles');
