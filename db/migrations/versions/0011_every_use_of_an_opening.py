"""every way a run uses an opened split is counted"""

from alembic import op

from db.evidence.openings import keep_openings

revision = '0011'
down_revision = '0010'
branch_labels = None
depends_on = None


def upgrade() -> None:
    for statement in keep_openings(op.get_bind().dialect.name):
        op.execute(statement)


def downgrade() -> None:
    """Nothing: the migration that made the triggers takes them away."""
