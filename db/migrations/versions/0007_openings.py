"""each model once for an opening of a split"""

from alembic import op

from db.evidence.openings import keep_openings

revision = '0007'
down_revision = '0006'
branch_labels = None
depends_on = None


def upgrade() -> None:
    for statement in keep_openings(op.get_bind().dialect.name):
        op.execute(statement)


def downgrade() -> None:
    on = {'run_within_openings': 'run', 'event_by_another_lead': 'event'}
    if op.get_bind().dialect.name == 'postgresql':
        for name, table in on.items():
            op.execute(f'DROP TRIGGER {name} ON {table}')
        op.execute('DROP FUNCTION keep_openings()')
        return
    for name in (*on, 'event_of_a_named_model'):
        op.execute(f'DROP TRIGGER {name}')
