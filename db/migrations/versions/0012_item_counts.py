"""how many items there are, kept; and an index of what was to be looked at again"""

import sqlalchemy as sa
from alembic import op

from db.counting.item_counts import keep_counts

revision = '0012'
down_revision = '0011'
branch_labels = None
depends_on = None

_ASKED_AGAIN = sa.text("kind IN ('second_look', 'looked_again')")
# so that a server spells it alike when it is made again from how it spelled it
_ON_SERVER = sa.text("kind = 'second_look' OR kind = 'looked_again'")


def upgrade() -> None:
    op.create_index(
        'ix_event_second_look',
        'event',
        ['item_id', 'id'],
        sqlite_where=_ASKED_AGAIN,
        postgresql_where=_ON_SERVER,
    )
    if op.get_bind().dialect.name == 'sqlite':
        for statement in keep_counts():
            op.execute(statement)


def downgrade() -> None:
    op.drop_index('ix_event_second_look', 'event')
    if op.get_bind().dialect.name == 'sqlite':
        for name in ('in', 'on', 'out'):
            op.execute(f'DROP TRIGGER item_counted_{name}')
        op.execute('DROP TABLE item_count')
