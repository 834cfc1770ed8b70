"""the items that an import is still bringing"""

import sqlalchemy as sa
from alembic import op

from db.evidence.triggers import protect

revision = '0010'
down_revision = '0009'
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')


def upgrade() -> None:
    op.create_table('pending_import',
    sa.Column('id', _ID, nullable=False),
    sa.Column('import_id', sa.String(), nullable=False),
    sa.Column('task_id', sa.Integer(), nullable=False),
    sa.Column('file', sa.String(), nullable=False),
    sa.Column('first', sa.BigInteger(), nullable=False),
    sa.Column('last', sa.BigInteger(), nullable=False),
    sa.Column('person_id', sa.Integer(), nullable=True),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['person_id'], ['person.id'], ),
    sa.ForeignKeyConstraint(['task_id'], ['task.id'], ),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('ix_pending_import_range', 'pending_import', ['first', 'last'])
    for statement in protect(op.get_bind().dialect.name, ('pending_import',)):
        op.execute(statement)


def downgrade() -> None:
    op.drop_table('pending_import')
