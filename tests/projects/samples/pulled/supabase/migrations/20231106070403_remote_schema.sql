
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

\restrict aBcD1234

CREATE EXTENSION IF NOT EXISTS "pgsodium" WITH SCHEMA "pgsodium";
CREATE EXTENSION IF NOT EXISTS "pg_graphql" WITH SCHEMA "graphql";
CREATE EXTENSION IF NOT EXISTS "pg_stat_statements" WITH SCHEMA "extensions";
CREATE EXTENSION IF NOT EXISTS "pgcrypto" WITH SCHEMA "extensions";
CREATE EXTENSION IF NOT EXISTS "pgjwt" WITH SCHEMA "extensions";
CREATE EXTENSION IF NOT EXISTS "supabase_vault" WITH SCHEMA "vault";
CREATE EXTENSION IF NOT EXISTS "uuid-ossp" WITH SCHEMA "extensions";

COMMENT ON SCHEMA "public" IS 'standard public schema';
ALTER SCHEMA "public" OWNER TO "pg_database_owner";

CREATE TYPE "public"."plan" AS ENUM ('free', 'paid');
ALTER TYPE "public"."plan" OWNER TO "postgres";

CREATE OR REPLACE FUNCTION "public"."on_new_person"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    AS $$
begin
  insert into public.people (id, name) values (new.id, coalesce(new.raw_user_meta_data ->> 'name', 'nobody'));
  return new;
end;
$$;

ALTER FUNCTION "public"."on_new_person"() OWNER TO "postgres";

SET default_tablespace = '';
SET default_table_access_method = "heap";

CREATE TABLE IF NOT EXISTS "public"."people" (
    "id" "uuid" DEFAULT "extensions"."uuid_generate_v4"() NOT NULL,
    "name" "text" NOT NULL,
    "plan" "public"."plan" DEFAULT 'free'::"public"."plan" NOT NULL,
    "number" bigint NOT NULL
);

ALTER TABLE "public"."people" OWNER TO "postgres";

CREATE SEQUENCE IF NOT EXISTS "public"."people_number_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER TABLE "public"."people_number_seq" OWNER TO "postgres";
ALTER SEQUENCE "public"."people_number_seq" OWNED BY "public"."people"."number";
ALTER TABLE ONLY "public"."people" ALTER COLUMN "number" SET DEFAULT "nextval"('"public"."people_number_seq"'::"regclass");
ALTER TABLE ONLY "public"."people" ADD CONSTRAINT "people_pkey" PRIMARY KEY ("id");
ALTER TABLE ONLY "public"."people"
    ADD CONSTRAINT "people_id_fkey" FOREIGN KEY ("id") REFERENCES "auth"."users"("id") ON DELETE CASCADE;

CREATE POLICY "People see themselves" ON "public"."people" FOR SELECT TO "authenticated" USING (("auth"."uid"() = "id"));
ALTER TABLE "public"."people" ENABLE ROW LEVEL SECURITY;

ALTER PUBLICATION "supabase_realtime" OWNER TO "postgres";
ALTER PUBLICATION "supabase_realtime" ADD TABLE ONLY "public"."people";

REVOKE USAGE ON SCHEMA "public" FROM PUBLIC;
GRANT USAGE ON SCHEMA "public" TO "postgres";
GRANT USAGE ON SCHEMA "public" TO "anon";
GRANT USAGE ON SCHEMA "public" TO "authenticated";
GRANT USAGE ON SCHEMA "public" TO "service_role";
GRANT ALL ON FUNCTION "public"."on_new_person"() TO "anon";
GRANT ALL ON TABLE "public"."people" TO "authenticated";
GRANT ALL ON TABLE "public"."people" TO "service_role";
GRANT ALL ON SEQUENCE "public"."people_number_seq" TO "authenticated";

ALTER DEFAULT PRIVILEGES FOR ROLE "postgres" IN SCHEMA "public" GRANT ALL ON SEQUENCES  TO "anon";
ALTER DEFAULT PRIVILEGES FOR ROLE "postgres" IN SCHEMA "public" GRANT ALL ON FUNCTIONS  TO "authenticated";
ALTER DEFAULT PRIVILEGES FOR ROLE "postgres" IN SCHEMA "public" GRANT ALL ON TABLES  TO "service_role";

\unrestrict aBcD1234

RESET ALL;
