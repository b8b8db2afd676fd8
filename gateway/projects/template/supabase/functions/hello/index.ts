// POST /functions/v1/hello with {"name": "Ada"} answers {"message": "Hello Ada!"}.
const cors = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'authorization, x-client-info, apikey, content-type',
}

Deno.serve(async (request: Request) => {
  if (request.method === 'OPTIONS') return new Response('ok', { headers: cors })
  const { name } = await request.json().catch(() => ({ name: undefined }))
  return Response.json({ message: `Hello ${name ?? 'world'}!` }, { headers: cors })
})
