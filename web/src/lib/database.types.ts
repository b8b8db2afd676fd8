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
        ComputedFields: never
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
        ComputedFields: never
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
          publish_at: string | null
          published: boolean
          published_at: string | null
          reading_time_minutes: number
          slug: string
          tags: string[]
          title: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          author_name?: string
          content?: string
          created_at?: string
          excerpt?: string | null
          featured_image_url?: string | null
          id?: string
          meta_description?: string | null
          meta_title?: string | null
          publish_at?: string | null
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
          publish_at?: string | null
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
        ComputedFields: never
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
        ComputedFields: never
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
      post_previews: {
        Row: {
          created_at: string
          expires_at: string
          post_id: string
          token: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          expires_at?: string
          post_id: string
          token?: string
        }
        Update: {
          created_at?: string
          expires_at?: string
          post_id?: string
          token?: string
        }
        Relationships: [
          {
            foreignKeyName: "post_previews_post_id_fkey"
            columns: ["post_id"]
            isOneToOne: false
            referencedRelation: "blog_posts"
            referencedColumns: ["id"]
          },
        ]
      }
      quarantine: {
        Row: {
          address: unknown
          form: string
          held: boolean
          id: string
          idempotency_key: string | null
          payload: NonNullable<Json>
          reason: string
          received_at: string
          released_at: string | null
        }
        ComputedFields: never
        Insert: {
          address?: unknown
          form: string
          held?: boolean
          id?: string
          idempotency_key?: string | null
          payload: NonNullable<Json>
          reason: string
          received_at?: string
          released_at?: string | null
        }
        Update: {
          address?: unknown
          form?: string
          held?: boolean
          id?: string
          idempotency_key?: string | null
          payload?: NonNullable<Json>
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
        ComputedFields: never
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
        ComputedFields: never
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
      list_articles: { Args: { page?: number; search?: string; size?: number; tag?: string }; Returns: Json }
      list_pictures: { Args: { search?: string }; Returns: {
        address: string
        alt: string
        bytes: number
        created_at: string
        file_name: string
        folder: string
        posts: Json
      }[] }
      list_topics: { Args: Record<PropertyKey, never>; Returns: string[] }
      preview_post: { Args: { token: string }; Returns: Json }
      quarantine_lead: { Args: { address?: string; form: string; idempotency_key?: string; payload: Json; reason: string }; Returns: Json }
      submit_lead: { Args: { address?: string; form: string; idempotency_key?: string; lead: Json; mails?: Json; payload?: Json }; Returns: Json }
    }
    Enums: {
      [_ in never]: never
    }
    CompositeTypes: {
      [_ in never]: never
    }
  }
}

type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">]

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] & DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] & DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
  Row: infer R
}
? R
: never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
  ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
  Row: infer R
}
? R
: never
  : never

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
  Insert: infer I
}
? I
: never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
  Insert: infer I
}
? I
: never
  : never

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
  Update: infer U
}
? U
: never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
  Update: infer U
}
? U
: never
  : never

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never = never
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
  ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
  : never

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never = never
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
  ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
  : never

export const Constants = {
  public: {
    Enums: {},
  },
} as const
