"""each model once for an opening of a split"""

from alembic import op

from db.evidence.openings import free_openings, keep_openings

revision = '0007'
down_revision = '0006'
branch_labels = None
depends_on = None


def upgrade() -> None:
    for statement in keep_openings(op.get_bind().dialect.name):
        op.execute(statement)


def downgrade() -> None:
    for statement in free_openings(op.get_bind().dialect.name):
        op.execute(statement)
