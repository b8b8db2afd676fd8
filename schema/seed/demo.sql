-- Articles to start with: twenty about medical and pharmaceutical waste in New England, two of them drafts.
-- Fixed ids, and rows already there are left alone, so it may run again at any time.

insert into public.blog_posts (
  id, slug, title, excerpt, tags, meta_title, meta_description, reading_time_minutes, published, published_at,
  created_at, updated_at, content
)
select id::uuid, slug, title, excerpt, tags::text[], meta_title, meta_description, reading_time_minutes,
  published_at is not null, published_at, created_at, coalesce(published_at, created_at), content
from (values
(
  '5eed0000-0000-4000-8000-000000000001', 'osha-bloodborne-pathogens-what-to-have-on-paper',
  'OSHA''s Bloodborne Pathogens Standard: What to Have on Paper',
  'An inspector reads your documents before looking in your closets. These are the ones 29 CFR 1910.1030 asks every practice to keep, and the mistakes that make them worthless.',
  '{"OSHA","Bloodborne Pathogens","Training"}',
  'OSHA Bloodborne Pathogens: Documents Every Practice Needs',
  'The written plan, vaccination records, training records and sharps injury log that 29 CFR 1910.1030 requires, and how to keep them current.',
  4, timestamptz '2025-11-25 13:00:00+00', timestamptz '2025-11-18 14:00:00+00',
  $html$<p>The Bloodborne Pathogens Standard, 29 CFR 1910.1030, applies to every employer whose people can reasonably be expected to touch blood or other potentially infectious material as part of the job. There is no exemption for size: a solo practice with one assistant owes that assistant the same protection as a hospital owes its nurses. What differs is who does the paperwork, and in a small practice it is usually the person who already does everything else.</p>
<h2>The exposure control plan</h2>
<p>The plan is the heart of the standard. It must be written, it must be available to employees, and it must be reviewed and updated <strong>at least once a year</strong> and whenever new tasks or procedures change who is exposed. A purchased template is a fine start, but a plan that names procedures you do not perform and omits those you do is a plan nobody has read. It has to contain:</p>
<ul>
<li>an exposure determination: the job classifications, and where only some people in a job are exposed, the tasks that expose them;</li>
<li>how and when you put each part of the standard into practice, from engineering controls to hepatitis B vaccination;</li>
<li>how you evaluate the circumstances of an exposure incident.</li>
</ul>
<p>Since the Needlestick Safety and Prevention Act of 2000, the yearly review must also show that you considered safer devices as they came on the market, and that you asked employees who give direct care, not only managers, which ones to try. Write down the device, the date, who tried it and what they thought. One page a year is enough, and it is the page most often missing.</p>
<h2>Hepatitis B vaccination</h2>
<p>The vaccine has to be offered at no cost, after training and <strong>within 10 working days</strong> of first assignment to a job with exposure. Someone who says no signs the declination in the wording of the standard's Appendix A, and may change their mind later while still exposed. An unsigned form in a personnel file is not a declination.</p>
<h2>Training records</h2>
<p>Training happens at first assignment and at least annually after that, during working hours, and with the opportunity to ask questions of someone who can answer them. For each session keep the date, a summary of the contents, the trainer's name and qualifications, and the names and job titles of those who came. Keep these records for three years from the date of the training.</p>
<h2>Medical records and the sharps injury log</h2>
<p>Vaccination status and everything that follows an exposure incident belong in a confidential medical record, separate from the personnel file, kept for the length of employment plus 30 years. Employers who must keep OSHA injury records also keep a sharps injury log with the type and brand of device, where the injury happened and how.</p>
<table>
<thead>
<tr><th>Record</th><th>Keep for</th></tr>
</thead>
<tbody>
<tr><td>Exposure control plan</td><td>Current version, reviewed every year</td></tr>
<tr><td>Training records</td><td>3 years from the training</td></tr>
<tr><td>Medical records</td><td>Employment plus 30 years</td></tr>
<tr><td>Sharps injury log</td><td>5 years after the year it covers</td></tr>
</tbody>
</table>
<h2>After an exposure</h2>
<p>A confidential medical evaluation must be available immediately. The health care professional's written opinion goes to the employee within 15 days of the completed evaluation. Decide now where people go at four on a Friday afternoon, and post the address and telephone number at the sharps container, because that is where they will be standing.</p>
<blockquote>A plan that lives in a binder nobody opens protects nobody. Read yours aloud at the annual training; the wrong sentences announce themselves.</blockquote>
<h2>Who enforces it in New England</h2>
<p>Vermont runs its own program for private and public employers. Connecticut, Maine and Massachusetts run programs for state and local government workers, while federal OSHA covers private employers there and in New Hampshire and Rhode Island. The duties are the same everywhere. OSHA's <a href="https://www.osha.gov/bloodborne-pathogens" target="_blank" rel="noopener noreferrer">bloodborne pathogens page</a> has the text, a quick reference guide and model plans, and they cost nothing.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000002', 'hazardous-waste-pharmaceuticals-subpart-p',
  'Hazardous Waste Pharmaceuticals: A Plain Guide to Subpart P',
  'Nothing goes down the drain, everything hazardous goes in one labelled container, and the clock runs for a year. What 40 CFR part 266 subpart P changed for health care.',
  '{"RCRA","Pharmaceutical Waste","Compliance"}',
  'Subpart P: Hazardous Waste Pharmaceuticals Made Plain',
  'How 40 CFR 266 subpart P treats expired and leftover drugs: the sewer ban, creditable returns, labels, the one-year limit and empty containers.',
  3, timestamptz '2025-12-16 13:00:00+00', timestamptz '2025-12-09 14:00:00+00',
  $html$<p>For decades a clinic that threw away a warfarin tablet was asked to behave like a chemical plant. EPA's rule on hazardous waste pharmaceuticals, 40 CFR part 266 subpart P, ended that in 2019 with a set of standards written for places where medicines are given to people and animals. It is shorter than what it replaced and easier to follow, with one part that has no exceptions at all.</p>
<h2>The sewer ban comes first</h2>
<p>Since August 21, 2019, <strong>no health care facility may put a hazardous waste pharmaceutical down a sink, toilet or floor drain</strong>. The ban holds in every state, whether or not the state has adopted the rest of the rule, and it holds for the smallest generators too. EPA strongly discourages pouring away medicines that are not hazardous as well. Wastewater plants were not built to remove them.</p>
<h2>Which drugs are hazardous waste</h2>
<p>A discarded medicine is hazardous waste when it is on one of EPA's lists or shows a hazardous characteristic. Common examples:</p>
<ul>
<li>warfarin, listed in the acutely hazardous P series above 0.3 percent and in the U series below it;</li>
<li>several older chemotherapy drugs, among them cyclophosphamide, melphalan and mitomycin C;</li>
<li>preparations that ignite easily because of their alcohol content, and some that contain metals such as silver or selenium.</li>
</ul>
<p>The same rule took over-the-counter nicotine patches, gums and lozenges off the list of acutely hazardous wastes. That alone moved many pharmacies into a lower category.</p>
<h2>Creditable or not</h2>
<p>Subpart P sorts prescription hazardous waste into two streams. A drug is <em>potentially creditable</em> when it is in the manufacturer's original packaging, was never dispensed, and is not yet, or less than a year, past its expiration date. It may travel to a reverse distributor, who works out the manufacturer's credit. Everything else (partial vials, dropped tablets, patient returns, spill clean-up) is <em>non-creditable</em> and goes to a permitted treatment facility.</p>
<table>
<thead>
<tr><th>Question</th><th>Potentially creditable</th><th>Non-creditable</th></tr>
</thead>
<tbody>
<tr><td>Goes to</td><td>Reverse distributor</td><td>Permitted hazardous waste facility</td></tr>
<tr><td>Container label</td><td>None required by the rule</td><td>"Hazardous Waste Pharmaceuticals"</td></tr>
<tr><td>Time on site</td><td>No limit in the rule</td><td>One year</td></tr>
<tr><td>Shipping paper</td><td>No manifest, but delivery is confirmed</td><td>Hazardous waste manifest</td></tr>
</tbody>
</table>
<h2>Running the container</h2>
<p>The container for non-creditable waste must be closed and secured so that people cannot help themselves from it, structurally sound, and compatible with what is inside. Hazardous and non-hazardous medicines may share it, which spares the nurse at the bedside from looking up codes. Staff who handle the waste have to be thoroughly familiar with the procedures for their own duties; write down who was shown what, and when.</p>
<h2>When is it empty?</h2>
<p>A stock bottle, vial or unit-dose packet of ordinary size is empty once the medicine has been removed in the usual way. A syringe is empty when the plunger has been fully depressed, and an IV bag when its contents have been fully given. Empty containers are not hazardous waste, although a used needle is still a sharp.</p>
<h2>Small facilities and controlled drugs</h2>
<p>A facility that generates no more than 100 kilograms of hazardous waste, and no more than one kilogram of acutely hazardous waste, in a month may stay under the conditions for very small quantity generators or choose Subpart P. A hazardous drug that is also a controlled substance is exempt from most of the rule if it is never sewered and is destroyed as DEA and EPA require.</p>
<p>States adopt the rule on their own schedule and may be stricter, so confirm with your state agency. EPA explains each provision on its <a href="https://www.epa.gov/hwgenerators" target="_blank" rel="noopener noreferrer">hazardous waste generators pages</a>.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000003', 'packaging-regulated-medical-waste-for-the-road',
  'Packaging Regulated Medical Waste for the Road',
  'The person who closes the box is the shipper in the eyes of the Department of Transportation. What 49 CFR 173.197 expects of the box, the liner and the person.',
  '{"DOT","Packaging","Medical Waste"}',
  'DOT Packaging for Regulated Medical Waste (49 CFR 173.197)',
  'Rigid, leak resistant, sealed, marked: how to package regulated medical waste under 49 CFR 173.197 and 173.134, and who must be trained to do it.',
  3, timestamptz '2026-01-13 13:00:00+00', timestamptz '2026-01-06 14:00:00+00',
  $html$<p>Once a box of medical waste leaves your door it is a hazardous material in transport, and the Hazardous Materials Regulations of the U.S. Department of Transportation apply. Many offices believe the hauler carries that duty. The hauler carries the box; whoever classified the waste, filled the box, closed it and signed the shipping paper is the <strong>shipper</strong>, and must have been trained for it.</p>
<h2>Know what you are shipping</h2>
<p>Under 49 CFR 173.134, regulated medical waste is waste from the diagnosis, treatment or immunization of people or animals, from research on these, or from the making of biological products, that contains a Category B infectious substance. It ships as UN3291. Waste that carries a Category A agent, one that could cause permanent disability or life-threatening disease in a healthy person, never travels as UN3291. If there is any suspicion of one, stop and telephone before anything is packed.</p>
<p>Hazardous waste pharmaceuticals, mercury and fixatives are separate hazards with separate packaging. A sharps container with a few ampoules dropped in it is no longer simply medical waste.</p>
<h2>What the packaging must do</h2>
<p>For non-bulk packages, 49 CFR 173.197 asks for packaging that is:</p>
<ol>
<li>rigid;</li>
<li>leak resistant;</li>
<li>impervious to moisture;</li>
<li>strong enough not to tear or burst under normal conditions of use and handling;</li>
<li>sealed to prevent leakage during transport;</li>
<li>puncture resistant when it holds sharps, including sharps with residual fluid;</li>
<li>break resistant and tightly lidded or stoppered when it holds more than 20 cubic centimeters of fluid.</li>
</ol>
<p>A corrugated box meets this together with its liner, and only when it is assembled as the maker's instructions say. Tape across the middle of the bottom flaps is not a substitute for the printed taping pattern: the package was tested in one configuration, and that one is the packaging that was approved.</p>
<h2>Fill it so that a stranger can lift it</h2>
<ul>
<li>Close sharps containers until the lid locks, then put them into the box or reusable tub.</li>
<li>Gather the liner, twist the neck, fold it over and tie or tape it. A bunny-ear knot leaks when the box is on its side.</li>
<li>Keep absorbent material with anything wet, and keep fluids in stoppered canisters.</li>
<li>Respect the weight limit printed on the package. If two hands cannot lift it comfortably it will be dropped.</li>
<li>Never press waste down to make room.</li>
</ul>
<h2>Marks and papers</h2>
<p>Packages show the proper shipping name, the UN number, the biohazard mark and the name and address of shipper or consignee. The shipping paper repeats the identification number, proper shipping name, hazard class, number and kind of packages and total quantity, and gives a telephone number that is answered around the clock by someone who knows the material. Keep your copy for two years. Where a private or contract carrier moves the waste, 173.134 allows a simpler route: a rigid package that meets OSHA's bloodborne pathogens rule and bears the biohazard mark.</p>
<h2>Training every three years</h2>
<p>Each person who performs a shipper's task needs general awareness, function-specific, safety and security awareness training, tested and recorded, <strong>within 90 days</strong> of starting and again at least <strong>every three years</strong>. Until it is complete the new employee works under the direct supervision of someone trained.</p>
<blockquote>Ask one question on pickup day: who here signed the last shipping paper, and where is that person's certificate?</blockquote>
<p>The regulations are published by the <a href="https://www.phmsa.dot.gov/" target="_blank" rel="noopener noreferrer">Pipeline and Hazardous Materials Safety Administration</a>, and the text of section 173.197 is in the <a href="https://www.ecfr.gov/current/title-49/section-173.197" target="_blank" rel="noopener noreferrer">Electronic Code of Federal Regulations</a>.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000004', 'six-states-six-medical-waste-rulebooks',
  'Six States, Six Medical Waste Rulebooks',
  'Medical waste is defined by your state, not by Washington. A side-by-side look at who writes the rules in each New England state, and how to run offices in more than one.',
  '{"State Rules","Medical Waste","Compliance"}',
  'Medical Waste Rules in the Six New England States',
  'Which agency and which rules govern medical waste in Maine, New Hampshire, Vermont, Massachusetts, Rhode Island and Connecticut, side by side.',
  3, timestamptz '2026-02-03 13:00:00+00', timestamptz '2026-01-27 14:00:00+00',
  $html$<p>There is no federal medical waste program. Congress tried one: the Medical Waste Tracking Act of 1988, written after syringes washed up on beaches, ran as a two-year demonstration in a handful of states, Connecticut and Rhode Island among them, and expired in 1991. What it left behind is a patchwork. OSHA protects the people who handle the waste, DOT governs the box on the road, EPA governs hazardous drugs and chemicals, and each <strong>state</strong> decides what medical waste is, how long it may stay, who may haul it and which papers prove it.</p>
<h2>The six at a glance</h2>
<table>
<thead>
<tr><th>State</th><th>Words it uses</th><th>Main agency</th><th>Where to look</th></tr>
</thead>
<tbody>
<tr><td>Maine</td><td>Biomedical waste</td><td>Department of Environmental Protection</td><td>06-096 CMR chapter 900</td></tr>
<tr><td>New Hampshire</td><td>Infectious waste</td><td>Department of Environmental Services</td><td>Solid Waste Rules, Env-Sw series</td></tr>
<tr><td>Vermont</td><td>Regulated medical waste</td><td>Department of Environmental Conservation</td><td>Solid Waste Management Rules</td></tr>
<tr><td>Massachusetts</td><td>Medical or biological waste</td><td>Department of Public Health</td><td>105 CMR 480.000</td></tr>
<tr><td>Rhode Island</td><td>Regulated medical waste</td><td>Department of Environmental Management</td><td>250-RICR-140-15-1</td></tr>
<tr><td>Connecticut</td><td>Biomedical waste</td><td>Department of Energy and Environmental Protection</td><td>RCSA 22a-209-15</td></tr>
</tbody>
</table>
<p>The vocabulary matters more than it seems. A contract that promises to collect "regulated medical waste" in Connecticut may say nothing about chemotherapy waste, which Connecticut counts as biomedical waste. A policy manual that speaks of "infectious waste" can leave a Massachusetts laboratory guessing about biotechnology by-product effluents, a category of its own there.</p>
<h2>What they share</h2>
<p>Under different names the six agree on most of what ends up in a red bag or a sharps container:</p>
<ul>
<li>sharps, in some states even unused ones;</li>
<li>liquid blood, blood products and items saturated with them;</li>
<li>cultures and stocks of infectious agents;</li>
<li>pathological waste: tissues, organs and body parts;</li>
<li>certain contaminated animal waste.</li>
</ul>
<p>All six expect separation at the point of generation, leak-proof and marked containers, storage that keeps out people, animals and weather, transport by someone authorized to do it, and a record that shows where the waste went.</p>
<h2>Where they part</h2>
<p>The differences that catch multi-state practices are registration, tracking papers, storage time and treatment on site. Maine and Rhode Island expect generators to be known to the state. Some states require a state form as well as the federal shipping paper. Storage limits depend on the kind of waste, the temperature and the quantity. A tabletop autoclave that is fine for instruments may need approval before it treats waste.</p>
<h2>A way to run several offices</h2>
<ol>
<li><strong>Write one procedure to the strictest rule.</strong> Staff move between offices; the procedure should not change at the state line.</li>
<li><strong>Keep one appendix a state</strong> with its registration numbers, forms and retention periods, and a name beside it.</li>
<li><strong>Ask for proof, not promises.</strong> Your hauler should show its authorization for each state and the name of the treatment facility.</li>
<li><strong>Check once a year.</strong> Put each agency's page on a calendar; rules are amended more often than manuals.</li>
</ol>
<blockquote>When two rules disagree, follow the stricter one and write down why. Nobody is cited for the container being too strong.</blockquote>
<p>Start with the agencies themselves: <a href="https://www.maine.gov/dep/" target="_blank" rel="noopener noreferrer">Maine DEP</a>, <a href="https://www.des.nh.gov/" target="_blank" rel="noopener noreferrer">New Hampshire DES</a>, <a href="https://dec.vermont.gov/" target="_blank" rel="noopener noreferrer">Vermont DEC</a>, <a href="https://www.mass.gov/orgs/department-of-public-health" target="_blank" rel="noopener noreferrer">Massachusetts DPH</a>, <a href="https://dem.ri.gov/" target="_blank" rel="noopener noreferrer">Rhode Island DEM</a> and <a href="https://portal.ct.gov/deep" target="_blank" rel="noopener noreferrer">Connecticut DEEP</a>. EPA keeps a short history and links to every state on its <a href="https://www.epa.gov/rcra/medical-waste" target="_blank" rel="noopener noreferrer">medical waste page</a>.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000005', 'massachusetts-105-cmr-480-in-practice',
  'Massachusetts 105 CMR 480 in Daily Practice',
  'Massachusetts treats medical waste as a matter of public health, down to the local board. How the categories of 105 CMR 480 translate into containers and habits.',
  '{"Massachusetts","State Rules","Medical Waste","Sharps"}',
  'Massachusetts Medical Waste Rules: 105 CMR 480 in Practice',
  'The categories of 105 CMR 480, who enforces them, how to store and ship medical or biological waste, and what to do about sharps from home.',
  3, timestamptz '2026-02-24 13:00:00+00', timestamptz '2026-02-17 14:00:00+00',
  $html$<p>In most states an environmental agency writes the medical waste rules. In Massachusetts it is the Department of Public Health, and 105 CMR 480.000 is part of the State Sanitary Code. That is more than a filing detail. It means your <strong>local board of health</strong> has a role, that a visit about something else can turn into a look at your storage closet, and that the rule reads as sanitation: keep it contained, keep it away from people, know where it went.</p>
<h2>The categories</h2>
<p>The regulation speaks of <em>medical or biological waste</em> and sorts it into these groups:</p>
<ul>
<li><strong>Blood and blood products</strong> in liquid form, and materials saturated with them.</li>
<li><strong>Pathological waste</strong>: tissues, organs and body parts from surgery, autopsy and other procedures.</li>
<li><strong>Cultures and stocks</strong> of infectious agents and the dishes and devices used with them.</li>
<li><strong>Contaminated animal waste</strong> from animals exposed to agents dangerous to people.</li>
<li><strong>Sharps</strong>, including needles, lancets, scalpel blades, and glass that has been contaminated.</li>
<li><strong>Biotechnology by-product effluents</strong>, the spent liquids of work with modified organisms, a category that reflects the laboratories of Cambridge and Boston.</li>
</ul>
<p>Gauze with a spot of blood, gloves, gowns and empty specimen cups that are not saturated are ordinary trash under OSHA's definition and this one. Red-bagging them costs money and protects nobody.</p>
<h2>From category to container</h2>
<table>
<thead>
<tr><th>Waste</th><th>Container</th><th>Usual treatment</th></tr>
</thead>
<tbody>
<tr><td>Needles, blades, lancets</td><td>Rigid sharps container, lid locked when full</td><td>Autoclave, then shred, or incineration</td></tr>
<tr><td>Saturated dressings, tubing with blood</td><td>Red bag in a rigid, lidded outer container</td><td>Autoclave</td></tr>
<tr><td>Tissues and body parts</td><td>Separate container marked for incineration</td><td>Incineration</td></tr>
<tr><td>Cultures and stocks</td><td>Red bag after treatment on site, where equipped</td><td>Autoclave</td></tr>
</tbody>
</table>
<h2>Storage</h2>
<p>Keep waste in a place that only the people who need to can enter, marked with the biohazard symbol, dry, clean and out of reach of animals and weather. Fluids and anything that can rot have to be kept cold or collected before they become a nuisance. The smell test is not a joke: a storage area that offends is out of compliance whatever the log says. A locked closet is better than a locked cart, because a cart can be moved into a corridor by someone in a hurry.</p>
<h2>Shipping and records</h2>
<p>Waste that leaves the site needs a shipping paper that names what left, how much, who took it and where it was treated. Match each returned copy with the one you signed; a copy that never comes back is the first sign of trouble and you are the one who has to ask. We suggest keeping medical waste papers for at least three years, which is longer than most rules ask and long enough for an audit.</p>
<h2>Sharps from home</h2>
<p>Since July 1, 2012 it has been illegal in Massachusetts to throw household needles, syringes and lancets into the trash. Patients will ask you where to take them, and many boards of health run a collection site or kiosk. Keep a card at the desk with the nearest collection site, and decide in writing whether your practice accepts patients' sharps before the first shopping bag arrives.</p>
<blockquote>Ask your staff where a full sharps container goes. If you hear two answers, the procedure exists only on paper.</blockquote>
<h2>Do not forget the other agency</h2>
<p>Hazardous waste, including many discarded medicines, belongs to the Department of Environmental Protection under 310 CMR 30.000, with its own identification numbers and limits. Public Health's pages are at <a href="https://www.mass.gov/orgs/department-of-public-health" target="_blank" rel="noopener noreferrer">mass.gov</a>, and so are those of the <a href="https://www.mass.gov/orgs/massachusetts-department-of-environmental-protection" target="_blank" rel="noopener noreferrer">Department of Environmental Protection</a>.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000006', 'connecticut-and-rhode-island-medical-waste',
  'Connecticut and Rhode Island: Biomedical and Regulated Waste',
  'Two states that took part in the federal tracking experiment of the 1980s kept its habits. What generators in Hartford and Providence should have in order.',
  '{"Connecticut","Rhode Island","State Rules","Chemotherapy"}',
  'Connecticut and Rhode Island Medical Waste Rules',
  'How Connecticut''s biomedical waste rules and Rhode Island''s regulated medical waste rules differ, and what generators should have in order.',
  3, timestamptz '2026-03-17 13:00:00+00', timestamptz '2026-03-10 14:00:00+00',
  $html$<p>When Congress ran its medical waste tracking demonstration from 1989 to 1991, Connecticut and Rhode Island took part, together with New York, New Jersey and Puerto Rico. The federal program ended. Both states kept the idea that waste should be followed on paper from the room where it is made to the place where it is destroyed, and built it into rules of their own.</p>
<h2>Connecticut: three kinds of biomedical waste</h2>
<p>Connecticut's Department of Energy and Environmental Protection regulates <em>biomedical waste</em> under section 22a-209-15 of its regulations. The term gathers three families, and the third surprises newcomers:</p>
<ul>
<li><strong>Infectious waste</strong>: sharps, blood and body fluids, cultures, isolation waste and similar material.</li>
<li><strong>Pathological waste</strong>: tissues, organs and body parts.</li>
<li><strong>Chemotherapy waste</strong>: gowns, gloves, tubing, empty vials and other items with traces of antineoplastic drugs.</li>
</ul>
<p>Because traces of chemotherapy are named, an oncology practice needs a separate, marked container for them, and a treatment route that destroys the drug as well as the microbe. An autoclave does not, so this waste is incinerated. Vials with more than residue are a different matter: many are hazardous waste under federal law and must not be in either the red bag or the yellow bucket.</p>
<h3>What to have ready</h3>
<ol>
<li>A written biomedical waste management plan that says who separates, packs, stores and signs.</li>
<li>A storage place that is secure, marked and clean.</li>
<li>Papers for each shipment, made out to a transporter that holds a Connecticut permit for biomedical waste.</li>
<li>Copies that came back from the treatment facility, matched with those you signed.</li>
</ol>
<h2>Rhode Island: known to the state</h2>
<p>Rhode Island's Department of Environmental Management regulates the generation, transport, storage, treatment and disposal of <em>regulated medical waste</em> under 250-RICR-140-15-1. The state keeps a close link between generators and the department: expect to register, to use authorized transporters and to keep tracking records that you can show on the day someone asks.</p>
<p>Rhode Island's classes will look familiar to anyone who remembers the federal program, since they descend from it: cultures and stocks, pathological waste, human blood and blood products, sharps, animal waste, isolation waste and unused sharps. That last class is worth a sentence in your procedures. A box of expired needles that were never opened is still handled as sharps.</p>
<h2>Side by side</h2>
<table>
<thead>
<tr><th>Point</th><th>Connecticut</th><th>Rhode Island</th></tr>
</thead>
<tbody>
<tr><td>Term</td><td>Biomedical waste</td><td>Regulated medical waste</td></tr>
<tr><td>Agency</td><td>DEEP</td><td>DEM</td></tr>
<tr><td>Rule</td><td>RCSA 22a-209-15</td><td>250-RICR-140-15-1</td></tr>
<tr><td>Often overlooked</td><td>Trace chemotherapy items</td><td>Unused sharps; registration</td></tr>
</tbody>
</table>
<h2>A shared weak point: the moved office</h2>
<p>The mistake we meet most often in both states is not a wrong bag. It is a practice that moved across town, or was bought by a network, and never told anyone. Registrations and papers then carry an address where nobody works, tracking copies go to a closed mailbox, and the emergency number on the shipping paper rings in an empty room. Put waste registrations on the same moving checklist as the telephone line and the state license.</p>
<blockquote>If the address on your last tracking form is not the address on your door, fix that before the next pickup.</blockquote>
<p>The departments publish their rules, forms and lists of authorized transporters at <a href="https://portal.ct.gov/deep" target="_blank" rel="noopener noreferrer">portal.ct.gov/deep</a> and <a href="https://dem.ri.gov/" target="_blank" rel="noopener noreferrer">dem.ri.gov</a>. Rules change; treat this article as a map and the agency's text as the road.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000007', 'northern-new-england-medical-waste-maine-new-hampshire-vermont',
  'Northern New England: Maine, New Hampshire and Vermont',
  'Long roads, small offices, hard winters. How medical waste is regulated north of Massachusetts and how rural practices keep a schedule that fits.',
  '{"Maine","New Hampshire","Vermont","State Rules"}',
  'Medical Waste in Maine, New Hampshire and Vermont',
  'Who regulates medical waste in Maine, New Hampshire and Vermont, and how rural practices can store safely between less frequent pickups.',
  3, timestamptz '2026-04-07 13:00:00+00', timestamptz '2026-03-31 14:00:00+00',
  $html$<p>A family practice in Aroostook County may be hours away from the nearest hospital, and further from a treatment plant. Distance shapes everything about medical waste in northern New England: pickups are further apart, storage matters more, and one forgotten box can mean another month's wait. The rules allow for that, as long as you plan for it.</p>
<h2>Maine</h2>
<p>Maine calls it <em>biomedical waste</em> and regulates it through the Department of Environmental Protection, in chapter 900 of its rules. Generators register, transporters are licensed, and each shipment moves on a manifest that returns to you when the waste has been treated. Maine's rules go into packaging and handling in some detail, so a box packed by habit in another state may be refused at the dock. If you have opened a satellite office, check that it is registered as a generator itself.</p>
<h2>New Hampshire</h2>
<p>New Hampshire regulates <em>infectious waste</em> under its solid waste rules, the Env-Sw series, administered by the Department of Environmental Services. The department's guidance puts much weight on separation at the source and on the method of treatment. Untreated infectious waste does not go to a landfill or transfer station. Sharps from homes are a separate question, and many transfer stations have their own rule for them, so ask before sending a patient there.</p>
<h2>Vermont</h2>
<p>Vermont's Department of Environmental Conservation handles <em>regulated medical waste</em> as part of its Solid Waste Management Rules, and hazardous drugs under the Vermont Hazardous Waste Management Regulations. Vermont is the one New England state whose own occupational safety program, VOSHA, covers private employers, so a bloodborne pathogens inspection there is a state visit rather than a federal one.</p>
<h2>Storing safely between pickups</h2>
<p>A practice that fills one box every two months has different risks from a hospital. Waste sits, and what sits has to stay stable. Four habits help:</p>
<ul>
<li><strong>Separate by how it ages.</strong> Sharps are patient. Tissue, blood and cultures are not, and belong in a dedicated freezer or refrigerator marked with the biohazard symbol, never one that holds food, vaccine or medicine.</li>
<li><strong>Date the container when the first item goes in.</strong> Storage limits are counted from there in many rules, and a date answers most questions an inspector has.</li>
<li><strong>Keep it inside.</strong> A shed freezes and thaws; fluids expand, lids lift and liners split.</li>
<li><strong>Size down.</strong> A smaller sharps container that fills in time is safer than a large one that stays open for a year.</li>
</ul>
<h2>Winter and mud season</h2>
<p>Plan two pickups early: one before the first serious snow and one before the roads soften in spring. Keep a spare box, liner and sharps container on the shelf, so a postponed truck never means an overfilled one. Tell the hauler about a steep drive, a gate or a loading door that ices shut. Ask for a telephone call the day before instead of a weekly window.</p>
<blockquote>The right interval is not the cheapest one on the price list. It is the longest one at which nothing is overfilled, nothing smells and every date is in order.</blockquote>
<h2>Where to read more</h2>
<table>
<thead>
<tr><th>State</th><th>Agency</th><th>Address</th></tr>
</thead>
<tbody>
<tr><td>Maine</td><td>Department of Environmental Protection</td><td><a href="https://www.maine.gov/dep/" target="_blank" rel="noopener noreferrer">maine.gov/dep</a></td></tr>
<tr><td>New Hampshire</td><td>Department of Environmental Services</td><td><a href="https://www.des.nh.gov/" target="_blank" rel="noopener noreferrer">des.nh.gov</a></td></tr>
<tr><td>Vermont</td><td>Department of Environmental Conservation</td><td><a href="https://dec.vermont.gov/" target="_blank" rel="noopener noreferrer">dec.vermont.gov</a></td></tr>
</tbody>
</table>
<p>All three agencies answer telephone calls from small generators, and in our experience they would rather explain a rule than write a violation. Write down the date, the name and the answer, and file it with your plan.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000008', 'sharps-containers-where-they-go-and-when-to-replace-them',
  'Sharps Containers: Where They Go and When to Replace Them',
  'Most needlesticks during disposal come from a container that is full, far away or badly placed. All three are decided long before anyone is hurt.',
  '{"Sharps","OSHA","Bloodborne Pathogens"}',
  'Sharps Containers: Placement, Filling and Replacement',
  'What OSHA requires of sharps containers, how high and how near to mount them, when to replace them, and what never belongs inside.',
  3, timestamptz '2026-04-28 13:00:00+00', timestamptz '2026-04-21 14:00:00+00',
  $html$<p>A sharps container looks like the simplest object in the room, and it is one of the few that can injure three people in a row: the nurse who reaches for it, the assistant who changes it and the driver who lifts it. Good containers are cheap. Good placement is free. Together they prevent more injuries than any poster.</p>
<h2>What the rule asks</h2>
<p>OSHA's Bloodborne Pathogens Standard, 29 CFR 1910.1030, wants contaminated sharps discarded immediately, or as soon as feasible, into containers that are:</p>
<ul>
<li>closable;</li>
<li>puncture resistant;</li>
<li>leakproof on the sides and bottom;</li>
<li>labelled with the biohazard symbol or colored red.</li>
</ul>
<p>During use they must be easily accessible and as close as feasible to where sharps are used, kept upright, replaced routinely and <strong>not allowed to overfill</strong>. Before they move they are closed, and if one may leak it goes into a second container. Reusable containers may not be opened, emptied or cleaned by hand in a way that exposes anyone to injury. The Food and Drug Administration clears sharps containers as medical devices; buy those and keep coffee cans for coffee.</p>
<h2>Placement: stand where the needle is</h2>
<p>Stand where the injection is given and reach out. If you have to take a step, turn your back on the patient, cross someone's path or open a cabinet, the container is in the wrong place. Further points to check:</p>
<ol>
<li>The opening is below eye level of the shortest person who uses it, so that everyone can see whether something is sticking out.</li>
<li>It is out of a child's reach. In pediatrics that usually means a locked wall bracket and a restricted opening.</li>
<li>It is not over a sink, behind a door, beside a light switch or under a paper-towel dispenser, where hands arrive without looking.</li>
<li>Nothing has to be carried uncapped between rooms. If something is, another container is needed there.</li>
</ol>
<h2>Full means three quarters</h2>
<p>Replace a container when it reaches the fill line, normally about <strong>three quarters</strong>. Above it, long needles and winged sets spring back. Name one person and one day a week for the round, and let anyone close a full one at any time. A container without a fill line you can see is a container nobody checks.</p>
<table>
<thead>
<tr><th>Belongs inside</th><th>Does not</th></tr>
</thead>
<tbody>
<tr><td>Needles, with or without syringe</td><td>Bulk liquids, full or partial vials of medicine</td></tr>
<tr><td>Lancets, scalpel blades, sutures with needles</td><td>Gloves, gauze, alcohol wipes, paper</td></tr>
<tr><td>Broken contaminated glass, capillary tubes</td><td>Batteries, mercury, aerosol cans</td></tr>
</tbody>
</table>
<h2>Three habits to stop today</h2>
<p><strong>Recapping.</strong> Do not bend, recap or remove contaminated needles unless no alternative is feasible or a specific procedure requires it, and then only with a device or a one-handed technique.</p>
<p><strong>Reaching in.</strong> No hand goes into a sharps container, not for a ring, not for a label and not to press the contents down.</p>
<p><strong>Dropping medicine in.</strong> A half-full vial turns a sharps container into a mixed waste that may need a more expensive route and a different shipping paper.</p>
<blockquote>Every injury at disposal has an address. Mark each one on a floor plan; two dots in the same corner tell you what to move.</blockquote>
<h2>When it happens anyway</h2>
<p>Wash the wound with soap and water, report at once, and start the post-exposure evaluation. Hours matter for some treatments. Record device, brand and place in the sharps injury log and bring the entry to the annual plan review. OSHA's <a href="https://www.osha.gov/bloodborne-pathogens" target="_blank" rel="noopener noreferrer">bloodborne pathogens page</a> and the <a href="https://www.cdc.gov/niosh/" target="_blank" rel="noopener noreferrer">National Institute for Occupational Safety and Health</a> have selection guides for containers and safer devices.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000009', 'hipaa-and-the-shredder-disposing-of-patient-records',
  'HIPAA and the Shredder: Disposing of Patient Records',
  'HIPAA does not say shred. It says that nobody may be able to read what you threw away. How to turn that into bins, contracts and certificates.',
  '{"HIPAA","Document Shredding","Compliance"}',
  'HIPAA Document Disposal: Shredding Patient Records',
  'What HIPAA expects when patient records are thrown away: safeguards, electronic media, business associates, state law and proof of destruction.',
  4, timestamptz '2026-05-19 13:00:00+00', timestamptz '2026-05-12 14:00:00+00',
  $html$<p>Ask ten offices what HIPAA says about shredding and you will hear ten rules, most of them invented. The Privacy and Security Rules name no machine, no particle size and no schedule. They require <strong>reasonable safeguards</strong>, and the Department of Health and Human Services has been clear on what fails the test: protected health information in a dumpster, a recycling bin or any other place the public can reach.</p>
<h2>What the rules do say</h2>
<ul>
<li><strong>Paper and everything else:</strong> 45 CFR 164.530(c) requires administrative, technical and physical safeguards that limit incidental and prevent improper disclosure, including at disposal.</li>
<li><strong>Electronic media:</strong> 45 CFR 164.310(d)(2) requires policies for the final disposition of electronic health information and the media it is on, and for removing it before media are used again.</li>
<li><strong>People:</strong> everyone who handles disposal, volunteers included, has to be trained in the policy.</li>
</ul>
<p>The department gives examples of what works. Paper may be shredded, burned, pulped or pulverized so that it is unreadable, indecipherable and cannot be put back together. Labelled pill bottles may be kept in opaque bags in a secure place until a vendor takes them. Media may be cleared, purged or destroyed, and NIST Special Publication 800-88 explains how.</p>
<h2>It is more than charts</h2>
<p>Walk through the office with a bin bag and look for names: appointment lists, label sheets, sticky notes, wristbands, prescription bottles, IV bags with printed labels, X-ray films, the hard disk in the copier, the ribbon in the label printer. Each is patient information, and each has left some practice through the back door.</p>
<table>
<thead>
<tr><th>Item</th><th>A good end for it</th></tr>
</thead>
<tbody>
<tr><td>Paper, labels, films cut to size</td><td>Locked console, then shredding with a certificate</td></tr>
<tr><td>Pill bottles, IV bag labels</td><td>Opaque secure bag, or label removed and shredded</td></tr>
<tr><td>Hard disks, copier drives, phones</td><td>Wiped to NIST 800-88 or physically destroyed</td></tr>
<tr><td>Old X-ray films</td><td>Silver recovery with destruction, under contract</td></tr>
</tbody>
</table>
<h2>The vendor is a business associate</h2>
<p>A company that destroys records on your behalf handles protected health information, so you need a <strong>business associate agreement</strong> before the first console is emptied. Ask where the paper is shredded, who holds the keys, how long it waits and how the staff are screened. Then ask for a certificate of destruction for every service, with date, place, amount and method. The certificate is what you show when someone finds a page and asks whose it was.</p>
<h2>First retention, then destruction</h2>
<p>HIPAA does not say how long to keep medical records. State law and professional rules do, and they differ between New England states and for children. HIPAA does require you to keep its own documents, such as policies, notices and agreements, for six years. Before a box is destroyed, someone with authority checks the retention date, makes sure that no lawsuit or audit is holding it, and signs.</p>
<h2>State law adds teeth</h2>
<p>Massachusetts, in chapter 93I of the General Laws, tells anyone who disposes of records with personal information to redact, burn, pulverize or shred them so that the data cannot practicably be read or reconstructed, and attaches fines. Other New England states have disposal laws of their own.</p>
<h2>If something escapes</h2>
<p>A lost box is a presumed breach unless a risk assessment shows a low probability that the information was compromised. Patients are told without unreasonable delay and no later than 60 days from discovery; a breach of 500 or more people also goes to the department at the same time and, within one state, to the media.</p>
<blockquote>The cheapest breach is the page that was never printed. The second cheapest is the page in a locked console.</blockquote>
<p>Read the department's own <a href="https://www.hhs.gov/hipaa/for-professionals/faq/disposal-of-protected-health-information/index.html" target="_blank" rel="noopener noreferrer">questions and answers on disposal</a> with your staff; it takes ten minutes.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000010', 'how-to-run-a-medical-waste-audit',
  'How to Run a Medical Waste Audit in One Morning',
  'Most of what is in a red bag never needed to be there. A method for finding out what you throw away, where it goes wrong and what to change first.',
  '{"Waste Audits","Medical Waste","Compliance"}',
  'How to Run a Medical Waste Audit in One Morning',
  'A step-by-step method for auditing medical waste: walk the rooms, weigh what you find, read the invoices, and fix the three costliest habits.',
  4, timestamptz '2026-06-09 13:00:00+00', timestamptz '2026-06-02 14:00:00+00',
  $html$<p>Regulated waste costs several times as much to handle as ordinary trash, and it is the only cost in the building that is decided by where a hand happens to go. An audit finds those moments. It needs a clipboard, a scale, a camera and one morning, and it should end with three changes rather than thirty.</p>
<h2>Before you start</h2>
<p>Collect twelve months of pickup invoices and shipping papers. Make a table of date, containers and weight. Two patterns tell you where to look: containers that leave half empty, which means the schedule is too frequent or the boxes too large, and a slow rise in weight without more patients, which means that ordinary trash is moving into red bags.</p>
<h2>The walk</h2>
<p>Visit every room in which waste is made, in the middle of a working day. In each one, note:</p>
<ol>
<li>which containers are there, how far they are from where the work is done, and whether a lid can be opened with full hands;</li>
<li>what is in them, looking from above and <strong>never reaching in</strong>;</li>
<li>labels, liners, fill levels and dates;</li>
<li>what the person working there says when you ask where a bloody glove, an empty vial and a used syringe go.</li>
</ol>
<p>Take a photograph of each container. Photographs settle arguments in the meeting afterwards, and next year they show what changed.</p>
<h2>What you will probably find</h2>
<table>
<thead>
<tr><th>Finding</th><th>Why it happens</th><th>What helps</th></tr>
</thead>
<tbody>
<tr><td>Packaging, paper and clean gloves in red bags</td><td>The red bin is the nearest one</td><td>Put a larger trash bin in front and a smaller red one behind it</td></tr>
<tr><td>Medicine vials in sharps containers</td><td>No pharmaceutical container in the room</td><td>Add one, and label both with pictures</td></tr>
<tr><td>Overfilled sharps containers</td><td>Nobody owns the round</td><td>Name a person and a day</td></tr>
<tr><td>Names on labels in the trash</td><td>Shredding console is down the hall</td><td>Move the console to the printer</td></tr>
<tr><td>Unsigned or unmatched shipping papers</td><td>Whoever is near the door signs</td><td>Train two people, keep one binder</td></tr>
</tbody>
</table>
<h2>Weigh one day</h2>
<p>Choose an ordinary day. Weigh every bag and container that leaves the rooms, by room and by kind, and count the patients. The figure to remember is <em>grams of regulated waste for each visit</em>. It compares a busy month with a quiet one and one office with another, and it is the number you will watch after you change something.</p>
<h2>Read the papers like an inspector</h2>
<ul>
<li>Is each shipping paper signed by somebody with a current training certificate?</li>
<li>Has the copy from the treatment facility come back for every one?</li>
<li>Are the hauler's permits for your state in the file, and not expired?</li>
<li>Does the exposure control plan describe the rooms you just saw?</li>
</ul>
<h2>Three changes, one owner each</h2>
<p>Write the whole list, then choose three: the most dangerous, the most expensive and the easiest. Give each a name and a date. A longer list is how audits end up in drawers. Weigh again after eight weeks and show the staff the two numbers side by side, because people who made the change deserve to see that it worked.</p>
<blockquote>Nobody puts a coffee cup in a red bag out of malice. Move the bin and the problem moves with it.</blockquote>
<h2>What an audit is not</h2>
<p>It is not an inspection, and nobody should be blamed for what it finds. If it turns up something that may be a violation, such as hazardous drugs in the sewer or waste handed to an unlicensed hauler, stop that practice at once, write down what you did and get advice. EPA's <a href="https://www.epa.gov/compliance/epas-audit-policy" target="_blank" rel="noopener noreferrer">Audit Policy</a> explains how it treats those who find, disclose and correct problems by themselves.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000011', 'compliance-training-calendar-for-health-care',
  'A Compliance Training Calendar for Health Care Offices',
  'OSHA wants it yearly, DOT every three years, HIPAA when something changes. One calendar that keeps five agencies satisfied without training every month.',
  '{"Training","OSHA","DOT","HIPAA","RCRA"}',
  'Compliance Training Calendar: OSHA, DOT, HIPAA, RCRA',
  'How often health care staff need OSHA, DOT, HIPAA and RCRA training, who needs it, how long to keep records, and a calendar to plan it.',
  3, timestamptz '2026-06-30 13:00:00+00', timestamptz '2026-06-23 14:00:00+00',
  $html$<p>Training duties come from different agencies, in different years, in different words. Offices answer in one of two ways: with a long video every January that nobody remembers in March, or with nothing until a letter arrives. A calendar is better than both. It starts from who does what, because almost no one needs everything.</p>
<h2>Who needs what, and how often</h2>
<table>
<thead>
<tr><th>Subject</th><th>Who</th><th>First</th><th>Again</th></tr>
</thead>
<tbody>
<tr><td>Bloodborne pathogens (29 CFR 1910.1030)</td><td>Everyone with expected exposure</td><td>At assignment to the task</td><td>At least yearly, and when tasks change</td></tr>
<tr><td>Hazard communication (29 CFR 1910.1200)</td><td>Everyone who works with hazardous chemicals</td><td>At assignment</td><td>When a new hazard arrives</td></tr>
<tr><td>Hazardous materials (49 CFR 172 subpart H)</td><td>Those who pack, label, load or sign for medical waste</td><td>Within 90 days, supervised until then</td><td>Every three years</td></tr>
<tr><td>HIPAA privacy and security</td><td>The whole workforce</td><td>Within a reasonable time of joining</td><td>When policies change; reminders regularly</td></tr>
<tr><td>Hazardous waste (RCRA)</td><td>Those who handle it</td><td>Depends on generator category</td><td>Yearly for large quantity generators</td></tr>
</tbody>
</table>
<p>Small quantity generators, and facilities under the pharmaceuticals rule in 40 CFR part 266 subpart P, must make sure that staff are thoroughly familiar with proper handling and emergency procedures relevant to their work. No interval is written down. We repeat it yearly beside bloodborne pathogens, because a fixed date is easier to keep than a principle.</p>
<h2>What makes a session count</h2>
<ul>
<li><strong>Content for the listener.</strong> OSHA wants the words at the educational level and in the language of the employees.</li>
<li><strong>A chance to ask.</strong> Bloodborne pathogens training must include questions and answers with a person who knows the subject. A recording alone does not meet that.</li>
<li><strong>A test, for DOT.</strong> Hazardous materials employees must be trained and tested, by any suitable means, and certified by the employer.</li>
<li><strong>Paid time.</strong> OSHA training is during working hours and at no cost to the employee.</li>
</ul>
<h2>The year on one page</h2>
<ol>
<li><strong>January:</strong> review the exposure control plan, and list the safer devices tried last year.</li>
<li><strong>February:</strong> bloodborne pathogens for everyone exposed, together with waste separation and spill practice.</li>
<li><strong>April:</strong> HIPAA refresher: a single hour on disposal, passwords and talking in corridors.</li>
<li><strong>June:</strong> check the dates on DOT certificates and book those that expire within six months.</li>
<li><strong>September:</strong> hazard communication: new products, safety data sheets, labels. Portable fire extinguishers, where staff are expected to use them, are a yearly subject as well.</li>
<li><strong>November:</strong> hazardous drugs and pharmaceutical waste, in time for the winter's staff changes.</li>
</ol>
<p>New people do not wait for the calendar. Bloodborne pathogens come before the first task with exposure, and the hepatitis B vaccine is offered within 10 working days of assignment.</p>
<h2>Records that survive an audit</h2>
<p>Bloodborne pathogens: dates, contents, trainer and attendees, kept three years. DOT: name, most recent date, a description or copy of the material, the trainer's name and address, and the certification, kept for the three years of the cycle and 90 days after the person leaves. HIPAA: documentation that training took place, kept six years. Put every record in one place, sorted by person, so that a leaver's file can be closed and a newcomer's opened in a minute.</p>
<blockquote>If you can produce the right certificate for the right person in one minute, most inspectors stop asking about training.</blockquote>
<h2>Buy or teach?</h2>
<p>General awareness can be bought. What cannot be bought is the part about your building: where the spill kit hangs, who signs the shipping paper, which door the driver uses. Add fifteen minutes of your own to any course. OSHA's <a href="https://www.osha.gov/training" target="_blank" rel="noopener noreferrer">training pages</a> and the <a href="https://www.phmsa.dot.gov/" target="_blank" rel="noopener noreferrer">requirements of the Department of Transportation</a> say what each program has to cover.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000012', 'dental-amalgam-separators-40-cfr-441',
  'Dental Amalgam: Living With the Separator Rule',
  'Every office that places or removes amalgam needs a separator, two habits and one report. What 40 CFR part 441 asks, and what else a dental office throws away.',
  '{"Dental","Compliance","Sharps"}',
  'Dental Amalgam Separators: 40 CFR 441 Explained',
  'Who needs an amalgam separator under 40 CFR part 441, the two required practices, the one-time report, inspections, records and other dental waste.',
  4, timestamptz '2026-07-21 13:00:00+00', timestamptz '2026-07-14 14:00:00+00',
  $html$<p>Dental amalgam is about half mercury. What a drill removes goes through the vacuum line to the sewer, and treatment plants are not built to take mercury out. EPA's dental rule, 40 CFR part 441, closes that route with equipment that costs little and works quietly for years, provided that somebody looks at it.</p>
<h2>Who is covered</h2>
<p>The rule reaches dental offices that discharge to a public sewer and place or remove amalgam. It leaves out practices that only do oral pathology, oral and maxillofacial radiology, oral and maxillofacial surgery, orthodontics, periodontics or prosthodontics, as well as mobile units. An office that never places amalgam, and removes it only in unplanned, limited emergencies, can say so in its report and skip the separator.</p>
<h2>The separator</h2>
<p>A separator installed after June 14, 2017 must meet the ISO 11143 standard and remove at least <strong>95 percent</strong> of the total mass of solids. It has to be sized for your chairs. After that the work is looking:</p>
<ul>
<li>inspect it as the manufacturer's manual says, and write down the date, the person and the result;</li>
<li>replace the collecting canister on the manufacturer's schedule or when it reaches its maximum level, <strong>whichever comes first</strong>;</li>
<li>if it stops working, repair or replace it no later than 10 business days after you find out.</li>
</ul>
<h2>Two practices</h2>
<ol>
<li>Scrap amalgam from chair-side traps, screens, vacuum pump filters, tools and collection devices <strong>is never rinsed into the sewer</strong>. It goes into a closed container for recycling.</li>
<li>Vacuum lines that carry amalgam are not cleaned with oxidizing or acidic products: no bleach, chlorine, iodine or peroxide with a pH below 6 or above 8. Those dissolve the mercury that the separator has just caught.</li>
</ol>
<h2>One report, and a binder</h2>
<p>Existing offices had to comply by July 14, 2020. A new office, or one that changes hands, sends a <strong>one-time compliance report</strong> to its control authority (usually the local sewer authority or the state) within 90 days of opening or transfer. Keep that report as long as the office is in use. Keep inspection logs, canister replacement records and recycling receipts for three years.</p>
<table>
<thead>
<tr><th>Document</th><th>Keep</th></tr>
</thead>
<tbody>
<tr><td>One-time compliance report</td><td>As long as the office operates or until it is transferred</td></tr>
<tr><td>Inspection log</td><td>3 years</td></tr>
<tr><td>Canister shipping and recycling papers</td><td>3 years</td></tr>
<tr><td>Separator manual</td><td>As long as the device is in use</td></tr>
</tbody>
</table>
<p>All six New England states had dental mercury programs before the federal rule, and their conditions continue to apply. If a state form asks for more than EPA's, answer the state form.</p>
<h2>The rest of the operatory</h2>
<p>Mercury gets the attention, but a dental office makes most other kinds of medical waste too:</p>
<ul>
<li><strong>Sharps:</strong> needles, used anesthetic cartridges that are broken or contaminated with blood, burs, blades, orthodontic wire.</li>
<li><strong>Extracted teeth:</strong> teeth with amalgam go with the amalgam for recycling, never in a bag that will be incinerated. Teeth without are medical waste, or may go home with the patient.</li>
<li><strong>Fixer and lead foil</strong> from film, where it is still used: silver and lead are recovered.</li>
<li><strong>Expired medicine:</strong> no drain, no trash; use a pharmaceutical container.</li>
</ul>
<blockquote>Put the canister date where the vacuum pump hides it: on the calendar at the front desk.</blockquote>
<h2>A ten-minute check</h2>
<p>Open the cabinet with the separator and read its level. Ask who wrote the last entry in the log. Turn the line cleaner's bottle around and find the pH. Look under the chairs for traps rinsed in the sink. If all four answers are good, you are ahead of most offices. EPA's page on <a href="https://www.epa.gov/eg/dental-effluent-guidelines" target="_blank" rel="noopener noreferrer">dental effluent guidelines</a> has the report form and a list of frequent questions.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000013', 'veterinary-medical-waste',
  'Veterinary Waste: What Changes When the Patient Has Fur',
  'OSHA''s bloodborne rule is about human blood, but needles, euthanasia drugs and chemotherapy follow a veterinarian everywhere. What applies in a clinic and on a farm call.',
  '{"Veterinary","Sharps","Controlled Substances"}',
  'Veterinary Medical Waste: Sharps, Drugs and Remains',
  'What veterinary practices must do with sharps, expired and controlled drugs, chemotherapy waste and animal remains in New England.',
  4, timestamptz '2026-08-11 13:00:00+00', timestamptz '2026-08-04 14:00:00+00',
  $html$<p>A veterinary clinic throws away the same needles, blades and vials as a family doctor, yet half of the rules its staff have heard about were written for human blood. Some apply, some do not, and a few apply only to animals. Sorting them out saves money in one place and prevents a serious mistake in another.</p>
<h2>OSHA: which rule, and why</h2>
<p>The Bloodborne Pathogens Standard covers <em>human</em> blood and other potentially infectious materials, so animal blood alone does not bring a clinic under it. It can still reach you: in a research facility that uses HIV or hepatitis B virus, or through employees who are expected to give first aid to people. Everything else does apply. OSHA's general duty clause, the hazard communication standard and the rules on protective equipment protect a technician from a zoonotic infection or a chemotherapy splash as much as anyone else.</p>
<h2>Sharps are sharps</h2>
<p>States regulate veterinary sharps like any other. A needle that held a rabies vaccine sticks a waste worker just as deeply. Use rigid, closable, marked containers in every room, in the surgery, and <strong>in the truck</strong>. Farm calls are where practices fail: a coffee can rolling behind the seat, lost vials in straw, a bucket left with the owner. Mount a small container within reach of the tailgate and count needles out and in.</p>
<h2>Drugs</h2>
<p>The sewer ban of 40 CFR part 266 subpart P covers veterinary facilities, because they are health care facilities under that rule. No hazardous waste pharmaceutical goes down the drain, and there is no good reason to pour away the rest.</p>
<ul>
<li><strong>Controlled substances</strong> such as ketamine, butorphanol, buprenorphine and pentobarbital: keep the inventory and usage records that DEA requires, and dispose of expired stock through a reverse distributor or by witnessed destruction recorded on DEA Form 41. What is left in a syringe after an animal was treated is recorded as wastage in the log, with a witness wherever possible.</li>
<li><strong>Chemotherapy</strong> is growing in animal medicine. Treat gowns, gloves, tubing and bedding with traces as trace chemotherapy waste for incineration, and check leftover drug against EPA's hazardous waste lists.</li>
<li><strong>Insecticides and dips</strong> may be pesticides under federal law and hazardous waste at the end of their life. Read the label; it is legally binding.</li>
</ul>
<h2>Animal remains and tissue</h2>
<table>
<thead>
<tr><th>Material</th><th>Usual route</th></tr>
</thead>
<tbody>
<tr><td>Companion animal remains</td><td>Owner, cremation service or licensed disposal, under state and town rules</td></tr>
<tr><td>Animals euthanized with pentobarbital</td><td>Deep burial where allowed, or incineration; never rendering for feed, never where wildlife can reach</td></tr>
<tr><td>Suspected rabies specimens</td><td>State laboratory, packed and shipped as it instructs</td></tr>
<tr><td>Tissue from animals exposed to agents dangerous to people</td><td>Regulated medical waste</td></tr>
</tbody>
</table>
<p>The second row deserves attention. Pentobarbital stays in a carcass for a long time, and scavengers that feed on it die, eagles among them. Federal law protects eagles, and veterinarians and owners have been held responsible.</p>
<h2>A realistic setup for a small clinic</h2>
<ol>
<li>One sharps container a room, one in each vehicle, changed at three quarters.</li>
<li>One container for pharmaceutical waste in the treatment area, closed and out of reach of clients.</li>
<li>A locked, double-counted cabinet for controlled drugs awaiting return, listed by name, strength and quantity.</li>
<li>A freezer for remains and specimens that holds nothing else.</li>
<li>A page by the telephone: hauler, reverse distributor, state veterinarian, health department.</li>
</ol>
<blockquote>If a client asks for a container to take home for a diabetic cat, give one out together with the address of the collection site.</blockquote>
<p>Read the facts on disposal of controlled drugs at the <a href="https://www.deadiversion.usdoj.gov/" target="_blank" rel="noopener noreferrer">DEA Diversion Control Division</a>, and EPA's <a href="https://www.epa.gov/hwgenerators" target="_blank" rel="noopener noreferrer">pages for hazardous waste generators</a> for the pharmaceutical rule.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000014', 'long-term-care-waste-sharps-medicines-and-residents-rooms',
  'Long-term Care: Sharps, Medicines and the Resident''s Room',
  'A nursing home is a health care facility, a household and a pharmacy counter at once. How the waste rules divide it, and how to keep the carts simple.',
  '{"Long-term Care","Pharmaceutical Waste","Sharps"}',
  'Medical and Pharmaceutical Waste in Long-term Care',
  'How Subpart P, DEA''s disposal rules and OSHA apply in nursing homes and assisted living, from discontinued medicines to insulin needles.',
  4, timestamptz '2026-09-01 13:00:00+00', timestamptz '2026-08-25 14:00:00+00',
  $html$<p>In a hospital almost everything belongs to the hospital. In long-term care the medicine belongs to the resident, the needle to the nurse, the room to a household and the waste to the facility. The rules follow those lines, which is why the same tablet is treated in three different ways depending on whose it was and where it was found.</p>
<h2>What kind of place are you?</h2>
<p>EPA's pharmaceuticals rule, 40 CFR part 266 subpart P, counts nursing homes and skilled nursing facilities as health care facilities. It does <em>not</em> include group homes, independent living communities, assisted living facilities, or the independent and assisted living parts of a continuing care community. Waste from those remains household waste in most respects. A long-term care facility with 20 beds or fewer is presumed to be a very small quantity generator. For everyone under the rule, <strong>the sewer ban applies</strong>: no hazardous waste pharmaceutical goes down a sink or toilet.</p>
<h2>Discontinued medicines</h2>
<table>
<thead>
<tr><th>What it is</th><th>What to do</th></tr>
</thead>
<tbody>
<tr><td>Non-controlled, not hazardous</td><td>Pharmaceutical waste container for destruction</td></tr>
<tr><td>Non-controlled, hazardous, such as warfarin</td><td>Container labelled "Hazardous Waste Pharmaceuticals", gone within a year</td></tr>
<tr><td>Unopened and returnable</td><td>Back to the pharmacy where law and contract allow it</td></tr>
<tr><td>Controlled substance of a resident</td><td>Locked count, then destruction or a collection receptacle as DEA allows</td></tr>
</tbody>
</table>
<h2>Controlled substances and receptacles</h2>
<p>DEA's rule, 21 CFR part 1317, allows a retail pharmacy, or a hospital or clinic with an on-site pharmacy, that is registered as a collector to keep a <strong>collection receptacle</strong> in a long-term care facility. Staff may put a resident's controlled medicine into it on the resident's behalf. They have to do so immediately, and in any case no later than three business days after the order was discontinued, the resident transferred or the resident died.</p>
<p>The inner liner is removed by, or under the supervision of, two employees of the collector, or one employee of the collector together with a supervisor-level employee of the facility, such as a charge nurse. Sealed liners may wait in a securely locked cabinet for up to three business days. Nobody opens a sealed liner, and nobody counts what is inside.</p>
<h2>Sharps in rooms</h2>
<p>Insulin, anticoagulants and finger-sticks bring needles to the bedside, where there are visitors, grandchildren and confused hands. A container fixed to the medication cart is better than one in every room, provided that the cart really goes to the bed. Lancets must be for one person only. Where residents inject themselves, give them a small container, collect it when it is three quarters full and write that into the care plan. Facility staff who handle those needles are protected by OSHA's standard, whoever used them.</p>
<h2>What is not medical waste</h2>
<p>Incontinence products, soiled linen, feeding tubes, and dressings without saturating blood are ordinary waste in most cases under state definitions, even when they are unpleasant. Red bags for briefs are the largest avoidable cost we see in nursing homes. Isolation rooms follow the state's rule and the infection preventionist's instruction, not the color of the nearest bag.</p>
<h2>Keep the carts simple</h2>
<ol>
<li>Three containers on each medication cart: sharps, pharmaceutical waste, trash.</li>
<li>One locked place for discontinued controlled medicine, with a count at each shift change.</li>
<li>One picture card that shows ten items and where they go.</li>
<li>One named nurse a unit who may stop a full container from being used.</li>
</ol>
<blockquote>Agency nurses arrive without your training. The picture card is for them.</blockquote>
<p>DEA's <a href="https://www.deadiversion.usdoj.gov/" target="_blank" rel="noopener noreferrer">Diversion Control Division</a> publishes the disposal rule with questions and answers, and EPA explains Subpart P on its <a href="https://www.epa.gov/hwgenerators" target="_blank" rel="noopener noreferrer">generator pages</a>. Your state's survey agency may ask for more, most often about counts and witnesses.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000015', 'disposing-of-controlled-substances-21-cfr-1317',
  'Disposing of Controlled Substances Under 21 CFR 1317',
  'Inventory, wastage and what patients bring back are three different things to DEA. Mixing them up is the commonest error in a practice''s drug log.',
  '{"Controlled Substances","Pharmaceutical Waste","Compliance"}',
  'Controlled Substance Disposal: 21 CFR 1317 for Practices',
  'How practices dispose of expired controlled substances: reverse distributors, DEA Forms 222, 41 and 106, wastage, and patients'' own medicine.',
  4, timestamptz '2026-09-22 13:00:00+00', timestamptz '2026-09-15 14:00:00+00',
  $html$<p>Every registered practitioner accounts for every dose of a controlled substance from the day it is received until it is given, sent away or destroyed. The last step used to be improvised. Since October 2014 it has had a rule of its own, 21 CFR part 1317, and its first lesson is to ask which of three kinds of drug you are holding.</p>
<h2>Inventory, wastage, or the patient's</h2>
<table>
<thead>
<tr><th>Kind</th><th>Example</th><th>Rule</th></tr>
</thead>
<tbody>
<tr><td>Inventory</td><td>Expired vial from your cabinet</td><td>Part 1317: reverse distributor or witnessed destruction</td></tr>
<tr><td>Wastage</td><td>What stays in the syringe after the ordered dose</td><td>Record it, with a witness; not on Form 41</td></tr>
<tr><td>Ultimate user's medicine</td><td>A patient's leftover tablets</td><td>Authorized collectors and take-back only</td></tr>
</tbody>
</table>
<h2>Inventory: two lawful ends</h2>
<p><strong>Send it to a reverse distributor</strong> registered with DEA. Drugs in Schedule II move on an order form, DEA Form 222 or its electronic equivalent, which the reverse distributor supplies. Schedules III to V move with an invoice that lists name, form, strength and quantity. Keep copies for two years.</p>
<p><strong>Or destroy it yourself</strong> by a method that renders it <em>non-retrievable</em>, meaning that the substance is permanently changed so that it cannot be used or recovered. Two of your employees must handle or observe the destruction until it is complete, both sign <strong>DEA Form 41</strong>, and you keep the form for two years. Few practices have a method that meets the standard; incineration does, while cat litter and coffee grounds, suitable for a kitchen, do not.</p>
<p>Flushing is not a lawful end for inventory. DEA does not regard it as non-retrievable, and if the drug is also hazardous waste, EPA forbids it outright.</p>
<h2>Wastage: write it down at once</h2>
<p>The remainder of a dose that was drawn up and partly given is pharmaceutical wastage. DEA told practitioners in 2014 that it does not belong on Form 41. It still needs an entry that makes the log add up: patient, drug, amount given, amount wasted, date, who did it and who saw it. Squirting it into the sink is where records and environmental rules are broken together. Use a container that makes the drug unusable and locks.</p>
<h2>Patients' medicine: do not take it</h2>
<p>A practice that is not a registered collector may not accept a patient's controlled drugs, however kind the request. Retail pharmacies, hospitals and clinics with on-site pharmacies, narcotic treatment programs and some others can register as collectors and keep a receptacle. Police departments may run one too. Hand out the address, or a mail-back envelope.</p>
<h2>When the count is wrong</h2>
<ol>
<li>Count again with a second person, and go through the log entry by entry.</li>
<li>If a theft or significant loss remains, notify the DEA field office in writing <strong>within one business day</strong> of discovery.</li>
<li>Complete DEA Form 106.</li>
<li>Tell the police and your state's authorities as state law requires.</li>
</ol>
<h2>Storage while it waits</h2>
<p>Expired stock remains a controlled substance until it is gone. Keep it in the same locked, substantially constructed cabinet as active stock, separated and listed, with the same counts. A bag marked "expired" in the bottom drawer is how diversion begins. Arrange returns at least twice a year, so that little is waiting at any time.</p>
<blockquote>Reconcile receipts, administrations, wastage and returns every month. A log that balances in January is easy to keep; one that has not balanced since last January is impossible to mend.</blockquote>
<h2>Where the agencies meet</h2>
<p>A controlled drug that is also hazardous waste is conditionally exempt from EPA's Subpart P when it is not sewered and is destroyed at a facility of the permitted kinds under DEA's rules. State pharmacy boards and health departments may add witnesses, forms and schedules of their own. The text and DEA's guidance are at the <a href="https://www.deadiversion.usdoj.gov/" target="_blank" rel="noopener noreferrer">Diversion Control Division</a> and in the <a href="https://www.ecfr.gov/current/title-21/chapter-II/part-1317" target="_blank" rel="noopener noreferrer">Electronic Code of Federal Regulations</a>.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000016', 'blood-spill-response-first-ten-minutes',
  'Blood Spill Response: The First Ten Minutes',
  'Who stops people walking through it, what goes on first and what never to touch by hand. A spill procedure short enough to be used.',
  '{"Emergency Cleanup","Bloodborne Pathogens","OSHA"}',
  'Blood Spill Response: A Step-by-Step Procedure',
  'How to clean up a blood spill safely: protective equipment, disinfectant contact time, broken glass, waste, records, and when to call for help.',
  3, timestamptz '2026-10-13 13:00:00+00', timestamptz '2026-10-06 14:00:00+00',
  $html$<p>Spills do not happen in the treatment room with the good floor. They happen in the waiting area on Monday morning, with carpet, children and a telephone ringing. A procedure that needs a binder will not be used. One that fits on a card inside the lid of the kit will.</p>
<h2>Before anything spills: the kit</h2>
<p>Keep one kit on each floor and in each vehicle, sealed with a tag, so that a missing tag means a missing item. It holds:</p>
<ul>
<li>two pairs of sturdy gloves, a fluid-resistant gown, shoe covers, eye protection and a mask;</li>
<li>absorbent powder or pads;</li>
<li>a dustpan and scraper, or tongs, for broken glass;</li>
<li>a disinfectant registered by EPA with a claim against HIV and hepatitis B virus, and paper towels;</li>
<li>red bags, ties and a small sharps container;</li>
<li>a sign or tape to close the area, and the card.</li>
</ul>
<p>Check dates twice a year. Bleach solution mixed from concentrate loses strength; mix it fresh each day, or buy a ready-to-use product with an expiration date you can read.</p>
<h2>The ten minutes</h2>
<ol>
<li><strong>Look after people.</strong> Treat the injured person, move everyone else away and close the area.</li>
<li><strong>Dress before you kneel.</strong> Gloves, gown, eyes, shoes.</li>
<li><strong>Pick up sharp pieces with tools.</strong> OSHA forbids picking up broken glassware that may be contaminated directly with the hands, gloved or not. Use dustpan, scraper or tongs, and put it into the sharps container.</li>
<li><strong>Absorb.</strong> Cover the fluid from the edge to the middle, wait, and lift it into a red bag.</li>
<li><strong>Clean.</strong> Disinfectants work on clean surfaces. Remove what can be seen first.</li>
<li><strong>Disinfect and wait.</strong> Wet the whole area and keep it wet for the contact time on the label. It may be one minute or ten, and it is the step that people cut short.</li>
<li><strong>Undress from dirty to clean,</strong> bag everything that is saturated, and wash your hands.</li>
</ol>
<h2>What goes where</h2>
<table>
<thead>
<tr><th>Material</th><th>Container</th></tr>
</thead>
<tbody>
<tr><td>Absorbed blood, saturated towels and pads</td><td>Red bag</td></tr>
<tr><td>Broken glass, needles</td><td>Sharps container</td></tr>
<tr><td>Gloves and gown without saturation</td><td>Trash, unless your state or plan says otherwise</td></tr>
<tr><td>Reusable dustpan and tongs</td><td>Disinfect, dry and put back in the kit</td></tr>
</tbody>
</table>
<h2>Carpet, upholstery, mattresses</h2>
<p>Disinfectant labels are written for hard surfaces. Porous material that is soaked is usually cut out and discarded as regulated waste; small spots on carpet can be treated with a product labelled for it. Say so to whoever owns the furniture before, not after.</p>
<h2>When to call for help</h2>
<p>Call a professional team when the amount is more than your kit can absorb, when fluid has gone under flooring or into ducts, when sharps are mixed in and cannot be seen, when hazardous drugs or mercury are involved, or when staff are not trained or are simply too shaken. Cytotoxic drugs need their own kit: never use a blood kit on chemotherapy.</p>
<h2>Afterwards</h2>
<p>Restock and reseal the kit. If anyone had contact with eyes, mouth, mucous membrane, broken skin or a sharp, treat it as an <strong>exposure incident</strong>: wash or flush at once, report, and begin the confidential medical evaluation required by 29 CFR 1910.1030. Write three lines about what happened and what was missing, and bring them to the yearly review of your plan.</p>
<blockquote>Practise once a year with colored water and a stopwatch. The first rehearsal always finds the missing gloves.</blockquote>
<p>EPA keeps lists of <a href="https://www.epa.gov/pesticide-registration/selected-epa-registered-disinfectants" target="_blank" rel="noopener noreferrer">registered disinfectants</a> by organism. OSHA's <a href="https://www.osha.gov/bloodborne-pathogens" target="_blank" rel="noopener noreferrer">bloodborne pathogens page</a> has the housekeeping rules in full.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000017', 'trace-chemotherapy-and-bulk-chemotherapy-waste',
  'Trace and Bulk Chemotherapy Waste: Yellow or Black?',
  'One nearly empty vial can turn a yellow container into an illegal one. How to tell trace from bulk, and why neither belongs in an autoclave.',
  '{"Chemotherapy","RCRA","Pharmaceutical Waste"}',
  'Trace vs Bulk Chemotherapy Waste: How to Separate Them',
  'How to separate trace from bulk chemotherapy waste, which drugs are RCRA hazardous waste, and how containers, labels and disposal differ.',
  4, timestamptz '2026-11-03 13:00:00+00', timestamptz '2026-10-27 14:00:00+00',
  $html$<p>Infusion used to happen in hospitals, with a pharmacy next door and an environmental manager downstairs. Now it happens in physician offices and in clinics for animals as well. The drugs came along, the manager did not, and the two containers in the corner, usually one yellow and one black, became somebody's second job. The difference between them is worth ten minutes.</p>
<h2>Three words</h2>
<ul>
<li><strong>Trace:</strong> items that held or touched chemotherapy and are empty now: vials, bags and syringes with nothing left but residue, tubing, gloves, gowns, wipes from routine cleaning.</li>
<li><strong>Bulk:</strong> drug that is still there: partly used vials, bags that were stopped, expired stock, material from a spill.</li>
<li><strong>Hazardous waste:</strong> a legal term. Some bulk drugs are hazardous waste under the Resource Conservation and Recovery Act, others are not, although they may be just as dangerous to the person who handles them.</li>
</ul>
<h2>Which drugs are listed</h2>
<p>EPA's lists are decades old and name only a few of the drugs in use. Among the U-listed ones are cyclophosphamide, chlorambucil, melphalan, daunomycin, mitomycin C, streptozotocin and uracil mustard. Arsenic trioxide is on the P list of acutely hazardous wastes, which has stricter conditions. Most newer agents are on neither list. The National Institute for Occupational Safety and Health keeps a much longer list of hazardous drugs for the protection of workers. Good programs manage <em>all</em> bulk chemotherapy as hazardous waste, because one rule at the bedside is safer than a lookup table.</p>
<table>
<thead>
<tr><th>Question</th><th>Trace (yellow)</th><th>Bulk (black)</th></tr>
</thead>
<tbody>
<tr><td>Typical content</td><td>Empty vials, tubing, gowns</td><td>Leftover drug, spill material</td></tr>
<tr><td>Regulated as</td><td>Medical waste under state rules</td><td>Hazardous waste pharmaceutical, if listed or characteristic</td></tr>
<tr><td>Label</td><td>Chemotherapy waste, as your state words it</td><td>"Hazardous Waste Pharmaceuticals"</td></tr>
<tr><td>Destroyed by</td><td>Medical waste incinerator</td><td>Permitted hazardous waste facility</td></tr>
<tr><td>Paper</td><td>Medical waste shipping paper</td><td>Hazardous waste manifest</td></tr>
</tbody>
</table>
<h2>Empty has a definition</h2>
<p>Under 40 CFR part 266 subpart P, a vial of ordinary size is empty when the drug has been removed by the practice commonly used for that container, a syringe when the plunger has been fully depressed, and an IV bag when its contents have been fully administered. A bag that was stopped halfway because the patient reacted is bulk. So is the syringe that was drawn up and never given. If you can pour it, it is not trace.</p>
<h2>Why not the red bag?</h2>
<p>Red bags usually go to an autoclave. Steam kills microbes and does not destroy cytotoxic drugs; it may carry them into the air and drain of the plant instead. Chemotherapy waste of either kind is therefore incinerated, and a driver who finds yellow items inside a red box is right to refuse it.</p>
<h2>Protecting the people in between</h2>
<ol>
<li>Wear tested gloves and a disposable, low-permeability gown when handling either container.</li>
<li>Keep both within reach of the chair, with lids that open without hands.</li>
<li>Close and lock the container before it moves. Liners are tied, never pressed to let the air out.</li>
<li>Handle body fluids of treated patients with the same gloves for the time your protocol gives, commonly 48 hours.</li>
<li>Keep a chemotherapy spill kit, separate from the blood kit, and practise with it.</li>
</ol>
<p>USP General Chapter 800, on handling hazardous drugs, adds requirements for rooms, training and waste where your state or accreditor applies it.</p>
<blockquote>When in doubt, black. A little trace waste in the hazardous container costs money; a little bulk waste in the trace container is a violation.</blockquote>
<p>The list of hazardous drugs is at the <a href="https://www.cdc.gov/niosh/" target="_blank" rel="noopener noreferrer">National Institute for Occupational Safety and Health</a>, and EPA's pharmaceutical rule is explained on its <a href="https://www.epa.gov/hwgenerators" target="_blank" rel="noopener noreferrer">generator pages</a>. Connecticut practices should note that trace chemotherapy is biomedical waste by name in that state.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000018', 'cradle-to-grave-what-happens-after-pickup',
  'Cradle to Grave: What Happens After the Truck Leaves',
  'Follow one red box from the closet to the landfill: scanning, treatment by steam or fire, and the piece of paper that ends your responsibility.',
  '{"Medical Waste","DOT","Compliance"}',
  'What Happens to Medical Waste After Pickup',
  'How regulated medical waste is tracked, autoclaved or incinerated after pickup, and which documents prove that your waste was treated.',
  3, timestamptz '2026-11-17 13:00:00+00', timestamptz '2026-11-10 14:00:00+00',
  $html$<p>Ask the person at your front desk what becomes of the box with the biohazard mark, and the answer is usually "they take it away". The phrase <em>cradle to grave</em> means that your interest does not end there. If the box is found in the wrong place, the address on it is yours. So it is worth knowing where it goes, and which papers show that it arrived.</p>
<h2>At your door</h2>
<p>The driver checks that each container is closed, marked and within its weight, and refuses what is not. Each gets a label with a number of its own, and the numbers go on the shipping paper together with the count. You sign as the shipper, which is why the person with the pen needs hazardous materials training. Your copy stays behind. From that moment the number tells where the box is.</p>
<h2>On the road</h2>
<p>The vehicle is closed and secured, marked as the rules require, and carries spill supplies and emergency instructions. Many loads are consolidated at a transfer station with a permit for storing medical waste, where scanned numbers show that what arrived is what left. Time and temperature limits of the state apply there too, which matters for pathological waste.</p>
<h2>Steam or fire</h2>
<table>
<thead>
<tr><th>Point</th><th>Autoclave</th><th>Incineration</th></tr>
</thead>
<tbody>
<tr><td>Works by</td><td>Saturated steam under pressure for a set time</td><td>Burning at high temperature with gas cleaning</td></tr>
<tr><td>Suited to</td><td>Sharps, red bag waste, cultures</td><td>Pathological, trace chemotherapy, pharmaceutical waste</td></tr>
<tr><td>Proved by</td><td>Recorded temperature and pressure, spore tests</td><td>Recorded temperature, stack monitoring under the Clean Air Act</td></tr>
<tr><td>Leaves</td><td>Sterile waste, often shredded, to landfill</td><td>Ash, tested before disposal</td></tr>
</tbody>
</table>
<p>An autoclave cycle is proved with spores of <em>Geobacillus stearothermophilus</em>, which are harder to kill by steam than any germ in a clinic. If the spores die, so has the rest. Steam is unsuitable for volatile chemicals, mercury and cytotoxic drugs, which is why separation in your office decides the cost of treatment later. A single wrong vial can send a whole container down the expensive route.</p>
<p>Incinerators for hospital, medical and infectious waste are regulated by EPA under the Clean Air Act, and few of the thousands that once stood behind hospitals remain. Fewer plants mean longer trips, and one more reason to send to them only what needs them.</p>
<h2>The paper that closes the loop</h2>
<p>After treatment the facility confirms that it received and treated the numbered containers. Depending on state and hauler this is a signed copy of the tracking form, a certificate of treatment, or an entry in an online account. Whatever its form, <strong>match it with your copy</strong>. We recommend a simple routine:</p>
<ol>
<li>File your copy on the day of pickup.</li>
<li>Mark a date a month later.</li>
<li>If confirmation has not arrived by then, telephone the hauler and write down the answer.</li>
<li>If it still has not arrived, tell your state agency. Some rules make that report a duty, with a deadline.</li>
</ol>
<h2>Questions for any hauler, us included</h2>
<ul>
<li>Which facility treats our waste, by which method and under which permit?</li>
<li>Where is it stored on the way, and for how long?</li>
<li>What do you do with a container that leaks or is refused?</li>
<li>May we visit?</li>
</ul>
<p>The last one separates companies quickly. A plant that treats waste properly is noisy, hot and not at all secret.</p>
<blockquote>The box is yours until a piece of paper says that it no longer exists.</blockquote>
<p>EPA describes the history and methods of treatment on its <a href="https://www.epa.gov/rcra/medical-waste" target="_blank" rel="noopener noreferrer">medical waste page</a>, and the emission rules for incinerators are among its <a href="https://www.epa.gov/stationary-sources-air-pollution" target="_blank" rel="noopener noreferrer">rules for stationary sources</a>.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000019', 'medical-waste-records-and-how-long-to-keep-them',
  'Medical Waste Records: What to Keep, and for How Long',
  'Six agencies, ten retention periods, three binders. A table to copy and a filing system that a new office manager can understand in a minute.',
  '{"Compliance","Training","Waste Audits"}',
  'Medical Waste Records and Retention Periods',
  'Which medical waste, training, injury and disposal records a health care office keeps, for how long, and how to file them so they can be found.',
  3, null, timestamptz '2026-11-12 14:00:00+00',
  $html$<p>Nobody was ever cited for keeping a shipping paper too long. Offices are cited for not finding it. Retention is only half of the problem; the other half is that papers arrive in different ways (a carbon copy from the driver, an e-mail from the treatment plant, a certificate in someone's inbox) and end up in different places. This is the list we give to new customers, and the way we suggest filing what is on it.</p>
<h2>The table</h2>
<table>
<thead>
<tr><th>Record</th><th>Rule</th><th>Keep for</th></tr>
</thead>
<tbody>
<tr><td>DOT shipping paper for medical waste</td><td>49 CFR 172.201</td><td>2 years</td></tr>
<tr><td>Hazardous waste manifest</td><td>40 CFR parts 262 and 266</td><td>3 years</td></tr>
<tr><td>State tracking form or certificate of treatment</td><td>State rule</td><td>Ask your state; 3 years is a sound minimum</td></tr>
<tr><td>Bloodborne pathogens training</td><td>29 CFR 1910.1030</td><td>3 years</td></tr>
<tr><td>Employee medical records after exposure</td><td>29 CFR 1910.1030</td><td>Employment plus 30 years</td></tr>
<tr><td>Sharps injury log</td><td>29 CFR part 1904</td><td>5 years after the year it covers</td></tr>
<tr><td>Hazardous materials training</td><td>49 CFR 172.704</td><td>3-year cycle, and 90 days after leaving</td></tr>
<tr><td>HIPAA policies and training</td><td>45 CFR 164.316 and 164.530</td><td>6 years</td></tr>
<tr><td>DEA Forms 222 and 41, invoices</td><td>21 CFR part 1304 and 1305</td><td>2 years</td></tr>
<tr><td>Amalgam separator logs</td><td>40 CFR part 441</td><td>3 years</td></tr>
</tbody>
</table>
<p>Where a state asks for longer, the state wins. Where a lawsuit, an audit or an investigation is open, nothing that touches it is destroyed, whatever the table says.</p>
<h2>Three binders, or three folders</h2>
<p>Sort by the question that will be asked, not by the agency that asks it.</p>
<ol>
<li><strong>Where did it go?</strong> Shipping papers in order of date, each with its returned confirmation stapled behind it. A paper without a staple is a telephone call you still have to make.</li>
<li><strong>Who was trained?</strong> One page a person: hire date, vaccination offer, each course with date and certificate. Close the page when the person leaves and write the date on which it may be destroyed.</li>
<li><strong>What do we do?</strong> The exposure control plan, the waste procedure, the spill card, permits and licenses of every hauler, and the business associate agreement for shredding.</li>
</ol>
<p>Confidential medical records are in none of these. They are locked away, apart from personnel files, with a list of who may open them.</p>
<h2>Paper or electronic</h2>
<p>Almost all of these records may be kept electronically if they can be produced promptly when somebody asks. Scan on the day, name files with the date first, and store them where more than one person has access. The most common failure is not a crash. It is a password that left with the last manager.</p>
<h2>A quarterly half hour</h2>
<ul>
<li>Match shipping papers with confirmations.</li>
<li>Check the expiration dates of hauler permits and of staff certificates.</li>
<li>Look for names in the schedule that have no page in the second binder.</li>
<li>Destroy what is past its date, and keep the certificate of destruction.</li>
</ul>
<blockquote>Give the binders to someone who started last week and ask for the paper from the third of March. If it takes more than a minute, the system is not finished.</blockquote>
<h2>When an inspector asks</h2>
<p>Show what was asked for and no more, make a copy of whatever leaves the building, and write down who came, from which agency and what they looked at. If something is missing, say so and say when you will have it. The federal retention rules can be read in the <a href="https://www.ecfr.gov/" target="_blank" rel="noopener noreferrer">Electronic Code of Federal Regulations</a>; for state periods, ask the agency and file its answer in the third binder.</p>$html$
),
(
  '5eed0000-0000-4000-8000-000000000020', 'winter-pickups-when-the-roads-close',
  'Winter Pickups: Keeping Waste Safe When the Roads Close',
  'A nor''easter can move a pickup by a week. What to prepare in November so that a late truck is an inconvenience and not a violation.',
  '{"Medical Waste","Sharps","Emergency Cleanup"}',
  'Winter Medical Waste Pickups: A Preparation Checklist',
  'How to prepare for delayed medical waste pickups in a New England winter: spare containers, cold storage, access, closures and records.',
  3, null, timestamptz '2026-11-18 14:00:00+00',
  $html$<p>Every winter there is one week in which nothing moves. The interstate is closed, the side street is a snowbank, and the box that should have left on Tuesday is still in the closet on Friday with two more behind it. The rules do not pause for weather, although agencies are reasonable with people who planned. Planning takes an afternoon in November.</p>
<h2>Count backwards from full</h2>
<p>Write down how fast each container fills in a busy week: sharps, red bags, pharmaceuticals. Double the interval between pickups and see whether you would still have room. If not, ask for a smaller interval from December to March, or keep more empty containers. For each kind keep <strong>one in use, one spare and one for the storm</strong>.</p>
<h2>What can wait and what cannot</h2>
<table>
<thead>
<tr><th>Waste</th><th>If pickup is late</th></tr>
</thead>
<tbody>
<tr><td>Sharps</td><td>Close at three quarters, start the spare; closed containers wait safely</td></tr>
<tr><td>Saturated dressings, tubing</td><td>Keep cool and closed; watch the state's storage limit</td></tr>
<tr><td>Tissue, cultures, anything that rots</td><td>Freeze in a dedicated, marked freezer before the storm</td></tr>
<tr><td>Hazardous waste pharmaceuticals</td><td>One year on site, so a week changes nothing; keep it locked</td></tr>
<tr><td>Trace chemotherapy</td><td>Keep closed and locked, away from heat</td></tr>
</tbody>
</table>
<p>A refrigerator that is used for vaccines, medicine or food is never an answer, not even for one night. If you have no cold storage for material that rots, arrange before the season that it is collected ahead of a forecast storm.</p>
<h2>Do not move it outside</h2>
<p>The loading dock looks tempting when the closet is full. Freezing and thawing split liners and lift lids, plows hit boxes, animals open bags, and anybody may walk by. Waste that is stored outside must be locked, weatherproof and marked in any state we serve. If a closet is full, a locked exam room that is closed for the day is a better overflow.</p>
<h2>Help the truck to reach you</h2>
<ul>
<li>Put the waste entrance on the plowing contract, with a width and not just an address.</li>
<li>Sand the path between door and truck; a driver with forty pounds on a hand truck cannot see the ice.</li>
<li>Give the hauler two telephone numbers that are answered when the office is closed.</li>
<li>Say which days you will be closed around the holidays, so that nobody drives two hours to a locked door.</li>
<li>Clear hydrants, vents and emergency exits first. It is the same shovel.</li>
</ul>
<h2>If the power fails</h2>
<p>Keep freezers closed: a full one holds its temperature for about two days, a half-full one for about one. Write down when the power went and when it came back. If waste has thawed, do not refreeze it and hope. Double-bag it, mark it and call for a pickup when the roads are open.</p>
<h2>When you have to close</h2>
<ol>
<li>Close and lock every sharps container that is above the line.</li>
<li>Move all waste to the locked storage place and count the containers.</li>
<li>Write the count and the date on the door log.</li>
<li>Tell the hauler, and ask for the first day it can come.</li>
</ol>
<p>If you go past a storage limit, write to the agency before it writes to you: what is waiting, how much, how it is stored, and when it will leave. A note made during the storm is worth more than an explanation in the spring.</p>
<blockquote>The best sign of a prepared office is a dull January.</blockquote>
<p>State emergency pages list closures and travel bans, and <a href="https://www.ready.gov/winter-weather" target="_blank" rel="noopener noreferrer">Ready.gov</a> has checklists for businesses. Our dispatch line is answered around the clock; for a leak, an injury or an overfilled container in a storm, do not wait until morning.</p>$html$
)
) as articles (
  id, slug, title, excerpt, tags, meta_title, meta_description, reading_time_minutes, published_at, created_at, content
)
on conflict do nothing;
