"""Packets of servo buses, as bytes: Dynamixel protocol 2.0, and Feetech's, which is framed as Dynamixel's 1.0.

    2.0      FF FF FD 00  id  length (2)  instruction  parameters  CRC-16 (2)      length counts instruction, parameters and CRC
    1.0      FF FF        id  length (1)  instruction  parameters  checksum        length counts instruction, parameters and checksum

The CRC has the polynomial 0x8005 and begins with 0; the checksum is the complement of the sum from the identity on. In 2.0 a body that holds the header FF FF FD
is sent with another FD behind it. The answer of a servo has the error in place of the instruction (2.0: after the instruction 55). All of it: ROBOTIS e-Manual,
protocol 1.0 and 2.0; Feetech, FT-SCS protocol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from serpenoid.formats.bus import Bus, Register

ALL = 0xFE  # identity that means every servo
SYNC_READ, SYNC_WRITE, ANSWER = 0x82, 0x83, 0x55
HEADER = {1: b"\xff\xff", 2: b"\xff\xff\xfd\x00"}
MOST = 2048  # bytes of a packet


class Packet(NamedTuple):
    """A packet: whose it is, and its bytes from the instruction (or error) on."""

    identity: int
    body: bytes


def crc16(data: bytes) -> int:
    """CRC-16 of protocol 2.0."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = ((crc << 1) ^ 0x8005) & 0xFFFF if crc & 0x8000 else (crc << 1) & 0xFFFF
    return crc


def framed(protocol: int, identity: int, body: bytes) -> bytes:
    """The bytes of a packet."""
    if protocol == 2:
        stuffed = body.replace(b"\xff\xff\xfd", b"\xff\xff\xfd\xfd")
        head = HEADER[2] + bytes([identity]) + (len(stuffed) + 2).to_bytes(2, "little") + stuffed
        return head + crc16(head).to_bytes(2, "little")
    inner = bytes([identity, len(body) + 1]) + body
    return HEADER[1] + inner + bytes([~sum(inner) & 0xFF])


def answer(protocol: int, identity: int, error: int, data: bytes) -> bytes:
    """What a servo sends back."""
    return framed(protocol, identity, bytes([ANSWER, error] if protocol == 2 else [error]) + data)


def unpacked(protocol: int, packet: Packet) -> tuple[int, bytes] | None:
    """Error and data of a servo's answer; None where the packet is no answer."""
    if protocol == 2:
        return (
            (packet.body[1], packet.body[2:]) if packet.body[:1] == bytes([ANSWER]) and len(packet.body) > 1 else None
        )
    return (packet.body[0], packet.body[1:]) if packet.body else None


def taken_apart(protocol: int, data: bytes) -> tuple[list[Packet], bytes]:
    """The whole packets in a stream, and the bytes after the last of them; what is broken is passed over."""
    found: list[Packet] = []
    at, head = 0, HEADER[protocol]
    while True:
        begin = data.find(head, at)
        if begin < 0:
            return found, data[max(at, len(data) - len(head) + 1) :]
        lead = begin + len(head) + (3 if protocol == 2 else 2)  # where the body begins
        if len(data) < lead:
            return found, data[begin:]
        length = int.from_bytes(data[lead - 2 : lead], "little") if protocol == 2 else data[lead - 1]
        if length < protocol + 1 or length > MOST:
            at = begin + 1
            continue
        end = lead + length
        if len(data) < end:
            return found, data[begin:]
        packet = data[begin:end]
        if packet == _again(protocol, packet):
            found.append(Packet(packet[len(head)], _plain(protocol, packet[lead - begin : -protocol])))
            at = end
        else:
            at = begin + 1


def _again(protocol: int, packet: bytes) -> bytes:
    """The packet with the check that it should have."""
    if protocol == 2:
        return packet[:-2] + crc16(packet[:-2]).to_bytes(2, "little")
    return packet[:-1] + bytes([~sum(packet[2:-1]) & 0xFF])


def _plain(protocol: int, body: bytes) -> bytes:
    return body.replace(b"\xff\xff\xfd\xfd", b"\xff\xff\xfd") if protocol == 2 else body


def _place(bus: Bus, register: Register) -> bytes:
    """Address and size as parameters."""
    wide = 2 if bus.protocol == 2 else 1
    return register.address.to_bytes(wide, "little") + register.size.to_bytes(wide, "little")


def sync_write(bus: Bus, register: Register, values: Mapping[int, int]) -> bytes:
    """One packet that writes a register of many servos at once."""
    data = b"".join(bytes([i]) + int(v).to_bytes(register.size, "little") for i, v in values.items())
    return framed(bus.protocol, ALL, bytes([SYNC_WRITE]) + _place(bus, register) + data)


def sync_read(bus: Bus, register: Register, ids: Sequence[int]) -> bytes:
    """One packet that asks many servos for a register."""
    return framed(bus.protocol, ALL, bytes([SYNC_READ]) + _place(bus, register) + bytes(ids))


def number(bus: Bus, register: Register, data: bytes) -> int | None:
    """A register's number of an answer's data (present positions have a sign); None where the size is wrong."""
    if len(data) != register.size:
        return None
    value = int.from_bytes(data, "little", signed=register.size == 4)
    if bus.protocol == 1 and register == bus.present and value & 0x8000:  # Feetech: the sign is bit 15
        return -(value & 0x7FFF)
    return value
