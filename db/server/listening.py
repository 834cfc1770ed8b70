"""Hearing from the server that its ledger has moved, on a connection that does nothing else."""

from contextlib import suppress
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

CHANNEL = "benchseal_ledger"
"""What the trigger on the ledger tells: the number of the newest event, and nothing besides."""


class Listener:
    """A connection that listens; its methods never wait for the server.

    What is heard is a hint to look: anybody with a login can say anything on a channel.
    """

    def __init__(self, engine: Engine) -> None:
        """Raises what the engine raises where the server does not answer."""
        self._connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            self._connection.exec_driver_sql(f"LISTEN {CHANNEL}")
            driver: Any = self._connection.connection.driver_connection
            self._driver = driver
            self._connection.detach()  # it never goes back to the others
        except BaseException:
            self._connection.close()
            raise

    def fileno(self) -> int:
        """The socket, to be watched for something to read."""
        return int(self._driver.fileno())

    def take(self) -> int:
        """How many notices came since the last time; OSError once the connection has ended."""
        import psycopg

        try:
            self._driver.pgconn.consume_input()
        except psycopg.Error as error:
            raise ConnectionResetError(str(error)) from error
        count = 0
        while self._driver.pgconn.notifies() is not None:
            count += 1
        return count

    def close(self) -> None:
        """End the connection, which may have ended by itself."""
        self._driver.close()
        with suppress(DBAPIError):
            self._connection.close()
