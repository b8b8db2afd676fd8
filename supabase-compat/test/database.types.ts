/** Types in the generator's format: the site's tables, and a small library that has one of every relationship. */

export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  __InternalSupabase: { PostgrestVersion: '14.1' }
  public: {
    Tables: {
      blog_posts: {
        Row: {
          id: string
          title: string
          slug: string
          excerpt: string | null
          content: string
          featured_image_url: string | null
          author_name: string | null
          tags: string[]
          published: boolean
          published_at: string | null
          reading_time_minutes: number
          meta_title: string | null
          meta_description: string | null
          created_at: string
        }
        Insert: {
          id?: string
          title: string
          slug: string
          excerpt?: string | null
          content: string
          featured_image_url?: string | null
          author_name?: string | null
          tags?: string[]
          published?: boolean
          published_at?: string | null
          reading_time_minutes?: number
          meta_title?: string | null
          meta_description?: string | null
          created_at?: string
        }
        Update: {
          id?: string
          title?: string
          slug?: string
          excerpt?: string | null
          content?: string
          featured_image_url?: string | null
          author_name?: string | null
          tags?: string[]
          published?: boolean
          published_at?: string | null
          reading_time_minutes?: number
          meta_title?: string | null
          meta_description?: string | null
          created_at?: string
        }
        Relationships: []
      }
      user_roles: {
        Row: { user_id: string; role: string }
        Insert: { user_id: string; role: string }
        Update: { user_id?: string; role?: string }
        Relationships: []
      }
      authors: {
        Row: { id: number; name: string; born: string | null; profile: { city: string; links: { home: string }[] } | null }
        Insert: { id?: number; name: string; born?: string | null; profile?: Json }
        Update: { id?: number; name?: string; born?: string | null; profile?: Json }
        Relationships: []
      }
      passports: {
        Row: { author_id: number; number: string }
        Insert: { author_id: number; number: string }
        Update: { author_id?: number; number?: string }
        Relationships: [
          {
            foreignKeyName: 'passports_author_id_fkey'
            columns: ['author_id']
            isOneToOne: true
            referencedRelation: 'authors'
            referencedColumns: ['id']
          },
        ]
      }
      books: {
        Row: {
          id: number
          title: string
          price: number | null
          author_id: number
          editor_id: number | null
          series_id: number | null
          facts: Json
          rating: unknown
        }
        Insert: { id?: number; title: string; price?: number | null; author_id: number; editor_id?: number | null; series_id?: number | null; facts?: Json }
        Update: { id?: number; title?: string; price?: number | null; author_id?: number; editor_id?: number | null; series_id?: number | null; facts?: Json }
        Relationships: [
          {
            foreignKeyName: 'books_author_id_fkey'
            columns: ['author_id']
            isOneToOne: false
            referencedRelation: 'authors'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'books_editor_id_fkey'
            columns: ['editor_id']
            isOneToOne: false
            referencedRelation: 'authors'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'books_series_id_fkey'
            columns: ['series_id']
            isOneToOne: false
            referencedRelation: 'series'
            referencedColumns: ['id']
          },
        ]
      }
      series: {
        Row: { id: number; name: string; parent_id: number | null }
        Insert: { id?: number; name: string; parent_id?: number | null }
        Update: { id?: number; name?: string; parent_id?: number | null }
        Relationships: [
          {
            foreignKeyName: 'series_parent_id_fkey'
            columns: ['parent_id']
            isOneToOne: false
            referencedRelation: 'series'
            referencedColumns: ['id']
          },
        ]
      }
      tags: {
        Row: { id: number; label: string }
        Insert: { id?: number; label: string }
        Update: { id?: number; label?: string }
        Relationships: []
      }
      books_tags: {
        Row: { book_id: number; tag_id: number }
        Insert: { book_id: number; tag_id: number }
        Update: { book_id?: number; tag_id?: number }
        Relationships: [
          {
            foreignKeyName: 'books_tags_book_id_fkey'
            columns: ['book_id']
            isOneToOne: false
            referencedRelation: 'books'
            referencedColumns: ['id']
          },
          {
            foreignKeyName: 'books_tags_tag_id_fkey'
            columns: ['tag_id']
            isOneToOne: false
            referencedRelation: 'tags'
            referencedColumns: ['id']
          },
        ]
      }
    }
    Views: {
      published_posts: {
        Row: { id: string | null; title: string | null }
        Relationships: []
      }
    }
    Functions: {
      add: { Args: { a: number; b: number }; Returns: number }
      cheap_books: {
        Args: { below: number }
        Returns: Database['public']['Tables']['books']['Row'][]
        SetofOptions: { from: '*'; to: 'books'; isOneToOne: false; isSetofReturn: true }
      }
      book_count: { Args: never; Returns: number }
      statistics: { Args: { since: string; tags?: string[] }; Returns: { day: string; visits: number }[] }
    }
    Enums: {}
    CompositeTypes: {}
  }
  archive: {
    Tables: {
      letters: {
        Row: { id: number; body: string }
        Insert: { id?: number; body: string }
        Update: { id?: number; body?: string }
        Relationships: []
      }
    }
    Views: {}
    Functions: {}
    Enums: {}
    CompositeTypes: {}
  }
}
