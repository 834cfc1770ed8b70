"""texts that wait for the search index"""

from alembic import op

revision = '0008'
down_revision = '0007'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # a server indexes a text in the transaction that writes it
    if op.get_bind().dialect.name == 'sqlite':
        op.execute('CREATE TABLE search_pending (place INTEGER NOT NULL PRIMARY KEY)')


def downgrade() -> None:
    if op.get_bind().dialect.name == 'sqlite':
        op.execute('DROP TABLE search_pending')
