"""accounts of the operating system"""

import sqlalchemy as sa
from alembic import op

revision = '0004'
down_revision = '0003'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('person', sa.Column('account', sa.String(), nullable=True))
    op.create_index('uq_person_account', 'person', ['account'], unique=True)


def downgrade() -> None:
    op.drop_index('uq_person_account', 'person')
    op.drop_column('person', 'account')
