import { client } from '@/lib/client'

/** Whether a user holds a role. A check that fails for any reason counts as "no". */
export async function readRole(userId: string, role: 'admin'): Promise<boolean> {
  try {
    const { data, error } = await client().from('user_roles').select('role').eq('user_id', userId).eq('role', role).single()
    return error === null && data.role === role
  } catch {
    return false
  }
}
