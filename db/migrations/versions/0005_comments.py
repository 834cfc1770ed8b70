"""comments on items, and notes that are being written"""

import sqlalchemy as sa
from alembic import op

from db.evidence.triggers import protect

revision = '0005'
down_revision = '0004'
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')


def upgrade() -> None:
    op.create_table('comment',
    sa.Column('id', _ID, nullable=False),
    sa.Column('item_id', sa.BigInteger(), nullable=False),
    sa.Column('revision', sa.Integer(), nullable=False),
    sa.Column('person_id', sa.Integer(), nullable=False),
    sa.Column('kind', sa.String(), nullable=False),
    sa.Column('thread', sa.BigInteger(), nullable=True),
    sa.Column('text', sa.String(), nullable=False),
    sa.Column('withdrawn_event', sa.BigInteger(), nullable=True),
    sa.Column('seen_at', sa.DateTime(timezone=True), nullable=True),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['item_id'], ['item.id'], ),
    sa.ForeignKeyConstraint(['person_id'], ['person.id'], ),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('ix_comment_item', 'comment', ['item_id', 'id'], unique=False)
    op.create_index('ix_comment_person', 'comment', ['person_id', 'kind', 'id'], unique=False)
    op.create_index('ix_comment_thread', 'comment', ['thread'], unique=False)
    op.create_index('ix_comment_kind', 'comment', ['kind', 'id'], unique=False)
    op.create_table('note_draft',
    sa.Column('person_id', sa.Integer(), nullable=False),
    sa.Column('item_id', sa.BigInteger(), nullable=False),
    sa.Column('place', sa.String(), nullable=False),
    sa.Column('text', sa.String(), nullable=False),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['item_id'], ['item.id'], ),
    sa.ForeignKeyConstraint(['person_id'], ['person.id'], ),
    sa.PrimaryKeyConstraint('person_id', 'item_id', 'place')
    )
    for statement in protect(op.get_bind().dialect.name, ('comment',)):
        op.execute(statement)


def downgrade() -> None:
    op.drop_table('note_draft')
    op.drop_table('comment')
