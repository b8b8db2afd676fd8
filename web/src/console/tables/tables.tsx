import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router-dom'
import { orderedSchemas, tableOf, useCatalog } from '../lib/catalog'
import { useSession } from '../lib/session'
import { Page } from '../parts/page'
import { Empty, Loaded } from '../parts/states'
import { TableList } from './list'
import { TablePage } from './table-page'

export function Tables() {
  const session = useSession()
  const { schema = '', table = '' } = useParams()
  const [chosen, setChosen] = useState('')
  const catalog = useCatalog()
  const queries = useQueryClient()
  return (
    <Loaded result={catalog} what="Reading the catalogue">
      {(data) => {
        const shown = chosen || schema || (orderedSchemas(data)[0] ?? 'public')
        const found = tableOf(data, schema, table)
        return (
          <div className="split">
            <TableList catalog={data} schema={shown} onSchema={setChosen} here={shown === schema ? table : undefined} onReload={() => void queries.invalidateQueries({ queryKey: ['catalog'] })} />
            <div>
              {found ? (
                <TablePage key={`${schema}.${table}`} catalog={data} table={found} />
              ) : (
                <Page title="Table editor">
                  <Empty title={table === '' ? (session.read_only || session.kind === 'records' ? 'Choose a table at the left.' : 'Choose a table at the left, or make a new one.') : `There is no table ${schema}.${table}.`} />
                </Page>
              )}
            </div>
          </div>
        )
      }}
    </Loaded>
  )
}
