export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  __InternalSupabase: {
    PostgrestVersion: "14.17"
  }
  public: {
    Tables: {
      blog_post_revisions: {
        Row: {
          author_name: string
          content: string
          excerpt: string | null
          featured_image_url: string | null
          id: string
          meta_description: string | null
          meta_title: string | null
          post_id: string
          published: boolean
          published_at: string | null
          reading_time_minutes: number
          replaced_at: string
          replaced_by: string | null
          saved_at: string
          slug: string
          tags: string[]
          title: string
        }
        Insert: {
          author_name: string
          content: string
          excerpt?: string | null
          featured_image_url?: string | null
          id?: string
          meta_description?: string | null
          meta_title?: string | null
          post_id: string
          published: boolean
          published_at?: string | null
          reading_time_minutes: number
          replaced_at?: string
          replaced_by?: string | null
          saved_at: string
          slug: string
          tags: string[]
          title: string
        }
        Update: {
          author_name?: string
          content?: string
          excerpt?: string | null
          featured_image_url?: string | null
          id?: string
          meta_description?: string | null
          meta_title?: string | null
          post_id?: string
          published?: boolean
          published_at?: string | null
          reading_time_minutes?: number
          replaced_at?: string
          replaced_by?: string | null
          saved_at?: string
          slug?: string
          tags?: string[]
          title?: string
        }
        Relationships: [
          {
            foreignKeyName: "blog_post_revisions_post_id_fkey"
            columns: ["post_id"]
            isOneToOne: false
            referencedRelation: "blog_posts"
            referencedColumns: ["id"]
          },
        ]
      }
      blog_post_slugs: {
        Row: {
          post_id: string
          retired_at: string
          slug: string
        }
        Insert: {
          post_id: string
          retired_at?: string
          slug: string
        }
        Update: {
          post_id?: string
          retired_at?: string
          slug?: string
        }
        Relationships: [
          {
            foreignKeyName: "blog_post_slugs_post_id_fkey"
            columns: ["post_id"]
            isOneToOne: false
            referencedRelation: "blog_posts"
            referencedColumns: ["id"]
          },
        ]
      }
      blog_posts: {
        Row: {
          author_name: string
          content: string
          created_at: string
          excerpt: string | null
          featured_image_url: string | null
          id: string
          meta_description: string | null
          meta_title: string | null
          published: boolean
          published_at: string | null
          reading_time_minutes: number
          slug: string
          tags: string[]
          title: string
          updated_at: string
        }
        Insert: {
          author_name?: string
          content?: string
          created_at?: string
          excerpt?: string | null
          featured_image_url?: string | null
          id?: string
          meta_description?: string | null
          meta_title?: string | null
          published?: boolean
          published_at?: string | null
          reading_time_minutes?: number
          slug: string
          tags?: string[]
          title: string
          updated_at?: string
        }
        Update: {
          author_name?: string
          content?: string
          created_at?: string
          excerpt?: string | null
          featured_image_url?: string | null
          id?: string
          meta_description?: string | null
          meta_title?: string | null
          published?: boolean
          published_at?: string | null
          reading_time_minutes?: number
          slug?: string
          tags?: string[]
          title?: string
          updated_at?: string
        }
        Relationships: []
      }
      contact_messages: {
        Row: {
          company: string | null
          created_at: string
          email: string
          handled_at: string | null
          id: string
          idempotency_key: string | null
          message: string
          name: string
          phone: string | null
          priority: string
          status: string
          subject: string
          updated_at: string
        }
        Insert: {
          company?: string | null
          created_at?: string
          email: string
          handled_at?: string | null
          id?: string
          idempotency_key?: string | null
          message: string
          name: string
          phone?: string | null
          priority?: string
          status?: string
          subject: string
          updated_at?: string
        }
        Update: {
          company?: string | null
          created_at?: string
          email?: string
          handled_at?: string | null
          id?: string
          idempotency_key?: string | null
          message?: string
          name?: string
          phone?: string | null
          priority?: string
          status?: string
          subject?: string
          updated_at?: string
        }
        Relationships: []
      }
      newsletter_subscriptions: {
        Row: {
          created_at: string
          email: string
          first_name: string
          handled_at: string | null
          id: string
          idempotency_key: string | null
          last_name: string
          status: string
          updated_at: string
        }
        Insert: {
          created_at?: string
          email: string
          first_name: string
          handled_at?: string | null
          id?: string
          idempotency_key?: string | null
          last_name: string
          status?: string
          updated_at?: string
        }
        Update: {
          created_at?: string
          email?: string
          first_name?: string
          handled_at?: string | null
          id?: string
          idempotency_key?: string | null
          last_name?: string
          status?: string
          updated_at?: string
        }
        Relationships: []
      }
      quarantine: {
        Row: {
          address: unknown | null
          form: string
          id: string
          idempotency_key: string | null
          payload: Json
          reason: string
          received_at: string
          released_at: string | null
        }
        Insert: {
          address?: unknown | null
          form: string
          id?: string
          idempotency_key?: string | null
          payload: Json
          reason: string
          received_at?: string
          released_at?: string | null
        }
        Update: {
          address?: unknown | null
          form?: string
          id?: string
          idempotency_key?: string | null
          payload?: Json
          reason?: string
          received_at?: string
          released_at?: string | null
        }
        Relationships: []
      }
      quote_requests: {
        Row: {
          address: string | null
          city: string | null
          contact_name: string
          contact_priority: string | null
          created_at: string
          current_provider: string | null
          email: string
          employee_count: string | null
          facility_name: string
          facility_type: string
          formatted_message: string | null
          handled_at: string | null
          id: string
          idempotency_key: string | null
          location: string | null
          message: string | null
          phone: string
          pickup_frequency: string
          promotion_amount: number | null
          quick_start_service: boolean
          service_location: string | null
          services: string[]
          state: string | null
          status: string
          updated_at: string
          waste_volume: string
          zip_code: string | null
        }
        Insert: {
          address?: string | null
          city?: string | null
          contact_name: string
          contact_priority?: string | null
          created_at?: string
          current_provider?: string | null
          email: string
          employee_count?: string | null
          facility_name: string
          facility_type: string
          formatted_message?: string | null
          handled_at?: string | null
          id?: string
          idempotency_key?: string | null
          location?: string | null
          message?: string | null
          phone: string
          pickup_frequency: string
          promotion_amount?: number | null
          quick_start_service?: boolean
          service_location?: string | null
          services: string[]
          state?: string | null
          status?: string
          updated_at?: string
          waste_volume: string
          zip_code?: string | null
        }
        Update: {
          address?: string | null
          city?: string | null
          contact_name?: string
          contact_priority?: string | null
          created_at?: string
          current_provider?: string | null
          email?: string
          employee_count?: string | null
          facility_name?: string
          facility_type?: string
          formatted_message?: string | null
          handled_at?: string | null
          id?: string
          idempotency_key?: string | null
          location?: string | null
          message?: string | null
          phone?: string
          pickup_frequency?: string
          promotion_amount?: number | null
          quick_start_service?: boolean
          service_location?: string | null
          services?: string[]
          state?: string | null
          status?: string
          updated_at?: string
          waste_volume?: string
          zip_code?: string | null
        }
        Relationships: []
      }
      user_roles: {
        Row: {
          created_at: string
          id: string
          role: string
          user_id: string
        }
        Insert: {
          created_at?: string
          id?: string
          role: string
          user_id: string
        }
        Update: {
          created_at?: string
          id?: string
          role?: string
          user_id?: string
        }
        Relationships: []
      }
    }
    Views: {
      [_ in never]: never
    }
    Functions: {
      quarantine_lead: {
        Args: {
          address?: string
          form: string
          idempotency_key?: string
          payload: Json
          reason: string
        }
        Returns: Json
      }
      submit_lead: {
        Args: {
          address?: string
          form: string
          idempotency_key?: string
          lead: Json
          mails?: Json
        }
        Returns: Json
      }
    }
    Enums: {
      [_ in never]: never
    }
    CompositeTypes: {
      [_ in never]: never
    }
  }
}

type DefaultSchema = "public"

type Schemas = Omit<Database, "__InternalSupabase">

type InSchema = { schema: keyof Schemas }

type SchemaOf<Where> = Where extends InSchema ? Schemas[Where["schema"]] : Schemas[DefaultSchema]

type Relations<Schema extends Schemas[keyof Schemas]> = Schema["Tables"] & Schema["Views"]

type Part<Group, Name, Key extends string> = Name extends keyof Group
  ? Group[Name] extends { [Only in Key]: infer Shape }
    ? Shape
    : never
  : never

export type Tables<
  Where extends keyof Relations<Schemas[DefaultSchema]> | InSchema,
  Name extends Where extends InSchema ? keyof Relations<Schemas[Where["schema"]]> : never = never,
> = Part<Relations<SchemaOf<Where>>, Where extends InSchema ? Name : Where, "Row">

export type TablesInsert<
  Where extends keyof Schemas[DefaultSchema]["Tables"] | InSchema,
  Name extends Where extends InSchema ? keyof Schemas[Where["schema"]]["Tables"] : never = never,
> = Part<SchemaOf<Where>["Tables"], Where extends InSchema ? Name : Where, "Insert">

export type TablesUpdate<
  Where extends keyof Schemas[DefaultSchema]["Tables"] | InSchema,
  Name extends Where extends InSchema ? keyof Schemas[Where["schema"]]["Tables"] : never = never,
> = Part<SchemaOf<Where>["Tables"], Where extends InSchema ? Name : Where, "Update">

export type Enums<
  Where extends keyof Schemas[DefaultSchema]["Enums"] | InSchema,
  Name extends Where extends InSchema ? keyof Schemas[Where["schema"]]["Enums"] : never = never,
> = Where extends InSchema
  ? Schemas[Where["schema"]]["Enums"][Name & keyof Schemas[Where["schema"]]["Enums"]]
  : Schemas[DefaultSchema]["Enums"][Where & keyof Schemas[DefaultSchema]["Enums"]]

export type CompositeTypes<
  Where extends keyof Schemas[DefaultSchema]["CompositeTypes"] | InSchema,
  Name extends Where extends InSchema ? keyof Schemas[Where["schema"]]["CompositeTypes"] : never = never,
> = Where extends InSchema
  ? Schemas[Where["schema"]]["CompositeTypes"][Name & keyof Schemas[Where["schema"]]["CompositeTypes"]]
  : Schemas[DefaultSchema]["CompositeTypes"][Where & keyof Schemas[DefaultSchema]["CompositeTypes"]]

export const Constants = {
  public: {
    Enums: {}
  },
} as const
