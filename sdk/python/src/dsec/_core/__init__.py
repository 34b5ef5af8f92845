# SPDX-License-Identifier: Apache-2.0
"""What the client knows without any I/O: requests, replies, decoders, when to try again."""
