"""Mail servers of aiosmtpd for mail.test.ts: mail-server.py CERTIFICATE KEY PASSWORD.

Prints a line of JSON with the port of each server, then one for each event: a login, a sender, a mail.
"""

import asyncio
import json
import logging
import ssl
import sys
from email import message_from_bytes, policy

from aiosmtpd.smtp import SMTP, AuthResult

CERTIFICATE, KEY, PASSWORD = sys.argv[1:]
# Connections that the service cuts are no errors here.
logging.disable()
# What the servers do instead of accepting a mail, by the part of the address before the @.
REFUSALS = {"refused": "550 5.1.1 no such user", "sender-blocked": "554 5.7.1 relaying is denied"}
CONTENT_REFUSALS = {"too-large": "552 5.3.4 message too big", "busy": "452 4.3.1 no space left"}
STEPS = ["hello", "sender", "receiver", "content", "end"]


def tell(**event):
    print(json.dumps(event), flush=True)


def tls():
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE, KEY)
    return context


class Handler:
    def __init__(self, name):
        self.name = name
        self.greylisted = set()

    async def pause(self, step):
        if self.name == f"hangs-{step}":
            await asyncio.sleep(3600)

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        await self.pause("hello")
        session.host_name = hostname
        return responses

    async def handle_MAIL(self, server, session, envelope, address, options):
        await self.pause("sender")
        tell(server=self.name, event="sender")
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        await self.pause("receiver")
        local = address.split("@")[0]
        if local == "greylisted" and address not in self.greylisted:
            self.greylisted.add(address)
            return "451 4.7.1 try again later"
        if local in REFUSALS:
            return REFUSALS[local]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        await self.pause("end")
        [address] = envelope.rcpt_tos
        local = address.split("@")[0]
        if local in CONTENT_REFUSALS:
            return CONTENT_REFUSALS[local]
        mail = message_from_bytes(envelope.content, policy=policy.default)
        tell(
            server=self.name,
            event="mail",
            sender=envelope.mail_from,
            to=address,
            encrypted=server.transport.get_extra_info("ssl_object") is not None,
            user=session.auth_data,
            subject=mail["Subject"],
            types=[part.get_content_type() for part in mail.walk()],
            text=mail.get_body(("plain",)).get_content(),
            defects=[str(defect) for part in mail.walk() for defect in part.defects],
        )
        if local == "cut-after":
            server.transport.abort()
        return "250 OK"


class Server(SMTP):
    async def smtp_DATA(self, arg):
        await self.event_handler.pause("content")
        if any(address.startswith("cut-before@") for address in self.envelope.rcpt_tos):
            await self.push("354 go ahead")
            await self._reader.readline()
            self.transport.abort()
            return
        await super().smtp_DATA(arg)


def authenticator(name):
    def check(server, session, envelope, mechanism, login):
        user, password = login.login.decode(), login.password.decode()
        tell(server=name, event="login", mechanism=mechanism, right=password == PASSWORD)
        return AuthResult(success=password == PASSWORD, handled=False, auth_data=user)

    return check


LOGIN = {"auth_required": True, "auth_require_tls": False}
# The options of each server.
SERVERS = {
    "plain": {},
    "plain-login": LOGIN,
    "starttls": {"tls_context": tls(), "require_starttls": True},
    "starttls-login": {"tls_context": tls(), "require_starttls": True, "auth_required": True},
    "tls-login": LOGIN,
    "auth-login": {**LOGIN, "auth_exclude_mechanism": ["PLAIN"]},
    **{f"hangs-{step}": {} for step in STEPS},
}


async def main():
    loop = asyncio.get_running_loop()
    ports = {}
    for name, options in SERVERS.items():

        def factory(name=name, options=options, handler=Handler(name)):
            return Server(handler, hostname="mail.test", authenticator=authenticator(name), loop=loop, **options)

        context = tls() if name.startswith("tls") else None
        server = await loop.create_server(factory, "127.0.0.1", 0, ssl=context)
        ports[name] = server.sockets[0].getsockname()[1]
    tell(**ports)
    await asyncio.Event().wait()


asyncio.run(main())
