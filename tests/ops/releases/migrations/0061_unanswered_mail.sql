-- A mail server that has the text of a mail and does not say what became of it may deliver it yet. Such an attempt is
-- told apart from one that nobody took, which is made again as soon as the server is there: the same mail went six
-- times in three minutes to whoever a slow server served.

alter table jobs.mail_attempts drop constraint mail_attempts_outcome_check;
alter table jobs.mail_attempts add constraint mail_attempts_outcome_check
  check (outcome in ('sent', 'refused', 'deferred', 'unreachable', 'unanswered'));
