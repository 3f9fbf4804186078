"""Documents, relations and corpora, senses, argument trees, batches."""

from disco2.data.records import WITHOUT_SENSE as WITHOUT_SENSE
from disco2.data.records import Argument as Argument
from disco2.data.records import Constituents as Constituents
from disco2.data.records import Corpus as Corpus
from disco2.data.records import Dependencies as Dependencies
from disco2.data.records import Document as Document
from disco2.data.records import Finding as Finding
from disco2.data.records import Instance as Instance
from disco2.data.records import Mention as Mention
from disco2.data.records import ReadIssues as ReadIssues
from disco2.data.records import Relation as Relation
from disco2.data.records import RelationKind as RelationKind
from disco2.data.records import Sentence as Sentence
from disco2.data.records import Token as Token
