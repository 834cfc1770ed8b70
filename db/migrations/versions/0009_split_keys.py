"""the secrets of openings of splits"""

import sqlalchemy as sa
from alembic import op

revision = '0009'
down_revision = '0008'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('split_key',
    sa.Column('event_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'),
              autoincrement=False, nullable=False),
    sa.Column('split_id', sa.Integer(), nullable=False),
    sa.Column('secret', sa.String(), nullable=False),
    sa.ForeignKeyConstraint(['split_id'], ['split.id'], ),
    sa.PrimaryKeyConstraint('event_id')
    )


def downgrade() -> None:
    op.drop_table('split_key')
