insert into public.documents (content, embedding, state) values ('It''s a test; of $text$', '[1,2,3,4]', 'old');
