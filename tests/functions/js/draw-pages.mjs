/** The pages of a JSON file, drawn by the site's components as one JSON text: `node draw-pages.mjs BUNDLE < pages.json`. */
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'

const site = await import(pathToFileURL(process.argv[2]).href)
const { articles, lists } = JSON.parse(await text(process.stdin))
const drawn = {
  facts: site.siteFacts,
  templates: await site.drawTemplates(),
  articles: await Promise.all(articles.map(site.drawArticle)),
  lists: await Promise.all(lists.map(site.drawList)),
}
process.stdout.write(JSON.stringify(drawn))
