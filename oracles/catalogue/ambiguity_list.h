/* SPDX-License-Identifier: Apache-2.0
 * ambiguity_list.h - the ambiguous sentences of the specifications: contradictions, gaps, and
 * sentences with several readings. Columns: id, FIXED or FREE (enum fal_ambiguity_kind),
 * section, question, Talon's reading, and the other readings that Talon tolerates with a
 * warning ("" for none). */
#ifndef FAL_ORACLES_CATALOGUE_AMBIGUITY_LIST_H
#define FAL_ORACLES_CATALOGUE_AMBIGUITY_LIST_H

/* clang-format off */
#define FAL_AMBIGUITIES(A) \
    A("AMB-01", FIXED, "9.2.1, 9.2.5, 8.1", "Does the receiver's data base move when a push arrives, or when it is acknowledged?", "when it is acknowledged: otherwise a cumulative base would complete a push that the upper layer has not accepted", "") \
    A("AMB-02", FIXED, "9.2.1", "The paragraph on DBPSN says that RBPSN is updated.", "a misprint for DBPSN", "") \
    A("AMB-03", FIXED, "6.6.6, 9.2.1, 7.7.2", "An example writes the bitmap of three packets after a lost base as 0b0111. Which bit stands for which packet?", "bit n stands for base + n, and bit 0 is the last bit of the last word: 0b1110", "") \
    A("AMB-04", FIXED, "7.7.1", "The BACK's congestion field has 22 bits in the table and 21 in the figure.", "22 bits; values sent stay below 2^21", "the disputed bit may have any value") \
    A("AMB-05", FIXED, "7.8", "The NACK's congestion field has 24 bits in the table and 23 in the figure.", "24 bits; values sent stay below 2^23", "the disputed bit may have any value") \
    A("AMB-06", FIXED, "7.7.1", "Which of the two OWN bits belongs to the request window?", "the lower one (wire bit 31), as all field indices count from the right", "the other order, in a SUT tested by itself") \
    A("AMB-07", FIXED, "10.6.2.1, 7.7.1, 7.8", "Congestion metadata has 24 bits in the RUE's queues and 22 in a BACK.", "the queue's 64 bits are words 6 and 7 with OWN as the lowest two; results lose two bits in a BACK", "any reading; it is internal to the SUT") \
    A("AMB-08", FIXED, "9, 9.2.2.4", "Is base + window size still inside the receive window?", "no: a bitmap has no bit for it", "") \
    A("AMB-09", FIXED, "9.1.2, 9.1.4, 9.2.2.4", "Comparisons of sequence numbers are written as if the numbers did not wrap around.", "comparisons are modulo 2^32, by the signed difference", "") \
    A("AMB-10", FIXED, "6.1.2, 9.1.4", "Does the transmit window contain its right edge, and may it be larger than the bitmap?", "it does not contain the edge; its size is free; only numbers already sent are examined", "one packet more than the size") \
    A("AMB-11", FIXED, "9.1.2, 10.3.5", "Is fcwnd rounded down, and does it apply to each window or to both together?", "it is rounded down, is at least 1, and applies to each window", "a fraction that allows one more packet; one limit for both windows") \
    A("AMB-12", FREE, "7.8, 9.1.7, 9.2.2.4", "Does the receiver answer a packet beyond the receive window by OWN in an EACK, or by a NACK?", "it discards the packet, sets OWN and sends an EACK; it sends no NACK", "a NACK with code 1 in addition") \
    A("AMB-13", FIXED, "7.2, 9.1.8, 9.2.5", "To which window does the PSN of a Resync belong?", "to that of the packet which it replaces", "always the data window, if the request window recovers in another way: a pull request is retransmitted until it is acknowledged") \
    A("AMB-14", FIXED, "9.1.1, 9.1.5, 11", "Is the connection dead at the maximum number of attempts, or does a Resync follow first? Which attempt is the last?", "a Resync follows the timeout after the m-th copy; the connection is dead when the Resync has been sent equally often", "dead at once; one more attempt") \
    A("AMB-15", FIXED, "8.4.3.4, 9.2.4, 11", "From when does an RNR delay count, and does an RNR retry count as an attempt?", "the longer of RTO and the delay, from the NACK; retries do not count as attempts", "the delay alone, also counted from the copy") \
    A("AMB-16", FIXED, "8.5.3.4, 11", "Who delivers a push again to the target's upper layer after RNR: the retransmission, or the target's own timer?", "the retransmission", "the target's own timer; never both") \
    A("AMB-17", FIXED, "9.2.2.4, 11", "A copy of a push arrives that waits for its upper layer. Does the window drop it, or the transaction sublayer?", "the transaction sublayer, which may deliver it again after RNR", "the window drops it, if the target delivers again by itself") \
    A("AMB-18", FREE, "9.2.2.4, 11", "Is a discarded duplicate acknowledged at once, or after the coalescing timeout?", "within the coalescing timeout", "at once, by a SUT that waits for the timeout elsewhere") \
    A("AMB-19", FREE, "9.1.1, 9.1.6, 9.2.2.4", "What starts and stops the coalescing timer?", "any packet, including a discarded one, and an answer of the upper layer start it; an ACK stops it, and so does a piggybacked acknowledgement that reports everything", "any reading: Talon only checks that new information is reported within one timeout") \
    A("AMB-20", FREE, "9.1.6, 7.7.1", "Is a BACK allowed while pushes wait in order for the upper layer, and may it have OWN set?", "a BACK is sufficient when nothing is missing; OWN in a BACK is 0", "an EACK at any time") \
    A("AMB-21", FIXED, "9.2.3", "The acknowledged bits of an EACK are said to update a bitmap that the transmitter does not have.", "they update its data ACK bitmap; received bits only show which packets are missing", "") \
    A("AMB-22", FIXED, "9.2.3, 9.2.4, 10.1", "Is a round trip T4 - t1, or t2 - t1?", "T4 - t1, because t1 and t2 belong to two clocks", "") \
    A("AMB-23", FIXED, "9.2.3, 9.2.4, 11", "How is an ACK processed that has one newer and one older base, or a base that was never sent?", "the whole ACK is discarded; of piggybacked bases each newer one counts", "each window is processed separately") \
    A("AMB-24", FIXED, "7.5, 7.4", "Section 7.5 (Push Data) contains the sentence that the response to a pull has the RSN of its request.", "the sentence is about Pull Data", "") \
    A("AMB-25", FREE, "7.3, 8.4.3.2, 11", "What happens if the response to a pull does not have the requested length?", "a shorter or empty response is delivered as it is; a longer one is not delivered and the pull completes in error", "a shorter response is discarded, except the empty one of CIE") \
    A("AMB-26", FIXED, "7.2", "Types 1001b to 1111b are called reserved, although BACK and EACK use two of them.", "1000b to 1010b are NACK, BACK and EACK; 1011b and above are reserved", "") \
    A("AMB-27", FIXED, "7.2 to 7.8", "Some reserved bits appear only in the figures. Does a receiver check them?", "they are sent as 0 and ignored on receipt", "non-zero bits that no table requires to be 0; dropping a packet with such bits") \
    A("AMB-28", FIXED, "7.8", "The NACK's table and its figure order the fields differently.", "the order of the figure", "") \
    A("AMB-29", FIXED, "7.7.1, 7.8, 6.2", "Whose CID does an ACK or a NACK carry?", "that of the node which receives it", "") \
    A("AMB-30", FIXED, "6.3, 7", "How are packets with an unknown version, type or code handled?", "they are dropped and change nothing; a Resync with a reserved code counts as a Resync", "any handling that changes no state") \
    A("AMB-31", FIXED, "7.1", "How many bytes are not encrypted in a tunnel, and under ESP?", "the first 4 bytes of the Falcon header; in a PSP tunnel also the inner IP header; under ESP none", "other offsets in a tunnel, as configured") \
    A("AMB-32", FIXED, "7.7.1, 7.1, 10.3.6", "Which 32 bits of the 64-bit IV are t1?", "the IV is a time in picoseconds, and t1 is IV >> 17", "other bits, if always the same") \
    A("AMB-33", FIXED, "9.2.2.2, 9.2.1, 6.5", "In which order are replay, SPI and window checked, and which packets update Remote Time?", "integrity, SPI, replay, window; any packet that passed the first three updates it", "any order, if no packet that fails integrity updates it") \
    A("AMB-34", FIXED, "9.2.2.3", "The pseudo-code of the SPI check has two spellings of one name and a bitwise not of a truth value.", "one name and a logical not; a new key takes the global generation", "") \
    A("AMB-35", FIXED, "10.1, 10.3.4", "Does a smoothing constant of 1 mean that only the new value counts, or only the old one?", "as in GetSmoothed for delays; as in 10.2 for occupancy", "either") \
    A("AMB-36", FIXED, "10.3.4", "The formula for the alpha of flow scaling lacks two reciprocals.", "with the reciprocals, as in the Swift paper", "as it is written") \
    A("AMB-37", FIXED, "10.3.4, 10.3.5", "The inter-packet gap is divided by fcwnd twice, and only one section paces fcwnd = 1.", "no gap from 1 up; below 1 the gap is rtt / fcwnd", "a gap that grows") \
    A("AMB-38", FIXED, "10.3.1, 10.5.2", "How is ncwnd rounded, and what is the purpose of the decrease factor that no formula uses?", "ncwnd is rounded down, then clamped; the factor is not used", "either neighbouring integer; the factor is used") \
    A("AMB-39", FIXED, "10.3.2", "The retransmission handler tests for an event type that it never receives.", "the test means the event before; the window is clamped, and the count starts again after an ACK", "any reading; it is internal to the SUT") \
    A("AMB-40", FIXED, "10.3.3", "The handler of resource NACKs smooths no value and stores no direction.", "as in the common handler, with one decrease per round trip", "a decrease for each NACK") \
    A("AMB-41", FIXED, "10.3.6, 10.6.2", "The marker that guards ncwnd is described as that of fcwnd.", "each marker guards its own window; >= a round trip has passed, > moves the marker", "either result at equality") \
    A("AMB-42", FIXED, "10.6.2.2", "The fields of a congestion result add up to 508 bits of 512.", "4 bits of padding at the end", "any reading; it is internal to the SUT") \
    A("AMB-43", FIXED, "10.6.1", "Three thresholds and two predicates decide which events the RUE receives, but the text does not say how.", "below the first threshold always; then if one predicate is true, then if both are true, then never", "any combination, if an empty queue accepts each event") \
    A("AMB-44", FIXED, "10.2", "A level of buffer occupancy includes both of its ends.", "the level is the number of thresholds that are not above the occupancy", "the neighbouring level, at equality") \
    A("AMB-45", FIXED, "9.2.2.4, 8.5.3.1, 11", "Does a packet that is dropped for lack of resources count as received?", "no: neither bit nor base changes", "") \
    A("AMB-46", FIXED, "8.3", "The text has two scheduler queues, the figure three.", "two, so that requests keep their RSN order", "three") \
    A("AMB-47", FIXED, "6.6.5, 8.4.3.5, 9.2.4", "When is the initiator's upper layer informed of a transaction that ended in CIE, NRE or CID?", "when the Resync that follows is acknowledged", "at once; never twice") \
    A("AMB-48", FIXED, "9.2.5, 8.5.2", "Does a Resync take the place of its RSN on an ordered connection?", "yes, also for a request that never arrived", "") \
    A("AMB-49", FIXED, "8.5.3.4", "Who holds back the requests that follow one answered with RNR?", "Falcon: it NACKs or holds them, and does not deliver them before that request", "they are delivered, and each is answered with RNR") \
    A("AMB-50", FIXED, "11", "Each completion code has two names.", "the numbers decide; a code may have either name", "") \
    A("AMB-51", FIXED, "7.6, 7.8, 9.1.8, 11", "The text does not define xLR.", "a drop filter at either end; an implementation understands its codes from any peer", "an implementation without a filter") \
    A("AMB-52", FIXED, "11", "The target's table lists a Resync. Does the target send it, or receive it?", "it receives the initiator's", "") \
    A("AMB-53", FIXED, "9.1.8, 9.1.2", "Which gate holds back a Resync?", "the fabric window alone, as for a response", "also the NIC window, if there is no deadlock") \
    A("AMB-54", FIXED, "8.2.3, 11", "What does an upper layer receive that exceeds its credits?", "a completion with code 0xB; the connection continues", "any error completion") \
    A("AMB-55", FIXED, "9.1.4", "For early retransmission, at which number does a bitmap begin, and what does an empty bitmap mean?", "it begins at the EACK's own base; an empty one shows nothing; packets under RNR delay are exempt", "either result at equality; packets under RNR delay are not exempt") \
    A("AMB-56", FIXED, "9.1.3.1, 9.1.1", "Are the shares of packets that ask for an ACK a requirement or a guideline?", "a guideline: a deviation gives a warning", "") \
    A("AMB-57", FIXED, "10.5.3, 10.4", "Are the thresholds of PLB reached at equality?", "those of fraction and attempts are, that of the delay is not", "either result at equality") \
    A("AMB-58", FIXED, "8.2.1.1, 9.1.5", "Must retransmissions be in RSN order?", "yes, those that are due at the same time", "a retransmission also waits behind a lower RSN that waits for its RNR delay or for a window") \
    A("AMB-59", FIXED, "11, 9.2.4", "Is a pull NACKed with CID, CIE or NRE?", "no: its response carries the error, or nothing is sent", "a NACK with code 8 for a pull that was not acknowledged") \
    A("AMB-60", FIXED, "9.1.6, 9.2.3", "Chapter 9 calls the node that generates an ACK the transmitter.", "each node is both; the role is that of the window concerned", "") \
    A("AMB-61", FIXED, "7.7.1, 10.1, 9.1.6", "To which packet do t1, t2, hop count and ECN count of an ACK belong?", "to the last reliable packet that passed the checks, including duplicates", "to the last accepted packet") \
    A("AMB-62", FIXED, "7.7.1, 10.6.2.1", "From which TTL are hops counted, and what if there are more than 15?", "from a configured TTL; 15 also stands for more; ECN counts CE marks modulo 2^14", "") \
    A("AMB-63", FIXED, "8.4.3, 8.5.3.2, 9.2.1", "Some headings, packet names and references are misprinted.", "the obvious corrections", "") \
    A("AMB-64", FIXED, "11, 9.2.2.1", "Must the receiver raise an indication for a packet that fails its integrity check?", "it may; for one that fails the SPI check it must", "an indication for each failure") \
    A("AMB-65", FREE, "9.2.1, 8.5.3.4, 11", "Does the received bit of a push stay set when its upper layer answered RNR?", "it stays set; after a drop for lack of resources it is not set", "cleared with the NACK that names the push") \
    A("AMB-66", FIXED, "10.6.2", "Which unit does inter_packet_gap have?", "131.072 ns, as a time stamp", "the tick of the traffic shaper") \
    A("AMB-67", FIXED, "10.3.1, 10.3.2", "Which retransmit timeout does the result of an ACK event carry?", "that of the event", "one that is computed anew") \
    A("AMB-68", FIXED, "10.1, 10.3.4", "Does the first sample replace a smoothed value of 0, and are averages truncated?", "no special case for the first sample; averages are truncated", "the first sample is taken as it is") \
    A("AMB-69", FIXED, "10.6.2", "In which order are the bits of a queue entry, and where are the 4 bits that the result lacks?", "the most significant bit first, as in the tables", "packed from the least significant bit") \
    A("AMB-70", FIXED, "10.4, 10.5", "Does PLB run on NACK events, too, and where is its state?", "on ACK events only; the rate update engine keeps the state of each connection", "on NACK events, too") \
    A("AMB-71", FIXED, "10.3.6", "Which time does a window marker take: t4 of the event, or the clock of the engine?", "t4 of the event", "any time between t4 and t4 plus the latency of the engine") \
    A("AMB-72", FIXED, "10.3.4", "Does beta of flow scaling use max_fcwnd or max_flow_scaling_window?", "max_flow_scaling_window", "max_fcwnd, which is equal by default") \
    A("AMB-73", FIXED, "10.3.1", "Does the window rise when the delay equals its target?", "it rises", "either result at equality") \
    A("AMB-74", FREE, "9.1.3, 11", "On an ordered connection a transaction is given up before its packet was ever sent. May the next RSN leave?", "yes: the RSN counts as done, and the others keep their order", "the RSN never appears on the wire, with no Resync in its place") \
    A("AMB-75", FREE, "9.2.2.4, 9.1.7, 11", "Does a receiver check the window or its resources first?", "the window: a copy of an acknowledged packet is a duplicate", "resources first: such a copy may get a NACK with code 1") \
    A("AMB-76", FIXED, "9.2.3, 9.1.1", "To which number does an ACK move the transmitter's base, if bits acknowledged numbers above it before?", "to the lowest number that is not acknowledged", "to the base of the ACK; Talon sends only ACKs that a receiver can send, so the difference does not show") \
    A("AMB-77", FIXED, "10.3.4", "Is the target delay a real number, or a number of ticks?", "a real number", "whole ticks, truncated or rounded") \
    A("AMB-78", FIXED, "10.3.2, 10.3.6", "The retransmit limit is reached within a round trip of the window marker. Does the window fall to its minimum?", "at once", "not before the round trip is over") \
    A("AMB-79", FIXED, "10.6.1, 10.6.2.1", "How many events are there while an earlier one has no result, for an EACK that repeats several packets, and for piggybacked acknowledgements?", "one for each ACK, NACK and retransmission", "any number in these cases") \
    A("AMB-80", FIXED, "10.3.1, 10.6.2.2", "Which ncwnd_direction does a result carry if ncwnd did not change?", "either direction", "") \
    A("AMB-R01", FIXED, "RDMA 8.1.3, 8.3.6, 8.3.7", "The opcode table exchanges the headers of atomic requests and responses.", "a request has AtomicETH, a response has AtomicAckETH", "") \
    A("AMB-R02", FIXED, "RDMA 8.2", "The table of RBTH has an AckReq bit, the figure has no room for it.", "there is no AckReq; bit 22 is sent as 0", "bit 22 or 18 used for it") \
    A("AMB-R03", FIXED, "RDMA 8.3.9, 8.3.10", "Is the reserved byte of DETH and XRCETH first or last?", "last, as in the figures", "first, as in InfiniBand") \
    A("AMB-R04", FIXED, "RDMA 6.6.2, 8.1.3", "XRC is supported, but the text defines no opcodes for it.", "those of InfiniBand, with XRCETH right after RBTH", "any order") \
    A("AMB-R05", FIXED, "RDMA 8.3.2", "Does RMSN count plain Sends?", "it counts every Send and every Write with Immediate", "it is constant for plain Sends on strongly ordered QPs") \
    A("AMB-R06", FIXED, "RDMA 8.2", "Is SN counted per connection or per queue pair, and in which steps?", "per connection and direction, by 1, modulo 2^32", "other steps") \
    A("AMB-R07", FIXED, "RDMA 6.7, 8.1.3, 8.3.1", "What length and opcode do the parts of a long READ have?", "each part has its own address and length; a response may have any READ opcode", "the length of the whole operation in a WRITE") \
    A("AMB-R08", FIXED, "RDMA 6.7, 8.3.4", "Which header places a READ's response: OETH, or STETH?", "STETH", "") \
    A("AMB-R09", FIXED, "RDMA 6.7, FTP 6.2", "Does the MTU limit the payload or the whole packet?", "the payload of the upper layer", "the whole packet, if always") \
    A("AMB-R10", FIXED, "RDMA 8.2", "What does CE mean, and for which end?", "in a request the target ends the message in error, in a response the initiator; the code is open", "any code") \
    A("AMB-R11", FIXED, "RDMA 8.1.3", "Falcon's packets are called Push Request and Pull Response.", "Push Data and Pull Data", "") \
    A("AMB-R12", FIXED, "RDMA 6.4", "Does a Write with Immediate on an unordered connection have a maximum size?", "one MTU, as a Send", "a longer one is accepted") \
    A("AMB-R13", FIXED, "RDMA 6.9, FTP 11", "Is a pull NACKed with CID?", "see AMB-59", "") \
    A("AMB-R14", FIXED, "RDMA 8.1.3", "Opcode ranges have six digits for five bits.", "00110b to 11111b", "") \
    A("AMB-R15", FIXED, "RDMA 5, 8", "Services and modes have several names.", "RC, XRC, UD; ordered and unordered connections", "") \
    A("AMB-R16", FIXED, "RDMA 8.2, FTP 7.3", "Does Request Length include pad bytes?", "yes; they follow the payload", "any pad bytes") \
    A("AMB-R17", FREE, "RDMA 6.3, 6.9", "Which cause gives a NACK code 6 or 7, and how does a pull report an error of the Verbs compatible mode?", "the Complete-in-error mode gives 6, the Verbs compatible mode 6 or 7; the response to a pull has CE and no data, and then the QP is in error", "other codes, and 8; the code is recorded") \
    A("AMB-R18", FIXED, "RDMA 8.3.2", "Does the index of a receive WQE count from 0, and RMSN from 1?", "the index is RMSN - 1", "another difference, learned at the first message, if always") \
    A("AMB-R19", FREE, "RDMA 6.4, 6.7", "May the segments of two WQEs be interleaved?", "on weakly ordered and unordered QPs, but not on strongly ordered ones", "") \
    A("AMB-R20", FREE, "RDMA 6.7, 8.3.5", "When does a Write with Immediate consume its receive WQE?", "at its last packet", "earlier; no verdict depends on it") \
    A("AMB-R21", FREE, "RDMA 8.3.10", "What happens to a datagram with a wrong Q_Key?", "it is acknowledged and dropped", "it completes in error or is NACKed; a delivery is the only violation") \
    A("AMB-R22", FREE, "RDMA 6.4", "In which order do operations of the unordered mode complete?", "in any order", "in the order of their posts") \
    A("AMB-R23", FREE, "RDMA 6.3", "Which headers does the response to a pull in error have?", "any that identify the request; the absence of data shows the error", "no headers at all") \
    A("AMB-R24", FREE, "RDMA 8.2", "May CE be set in a First or Middle packet, too?", "in the Last or Only packet", "in a First or Middle packet of a response, too") \
    A("AMB-R25", FIXED, "RDMA 6.6.3", "Does a receive of UD have room for the 40 bytes of the GRH?", "yes, as in InfiniBand: the payload follows them", "no, learned at the first datagram, if always") \
    A("AMB-R26", FREE, "RDMA 6.6.3", "May a UD send complete before its packet is acknowledged?", "it completes when its packet is acknowledged", "earlier") \
    A("AMB-R27", FIXED, "RDMA 8.3.2", "What do the upper 24 bits of RMSN contain?", "0, or the rest of the counter; which one is recorded", "other values") \
    A("AMB-N01", FIXED, "NVMe 6.6.3, 8.3, 8.5", "Does NLB count from 0 or from 1, and is the formula of the split right?", "from 0, as in NVMe; both parts cover the range exactly", "from 1, if always") \
    A("AMB-N02", FIXED, "NVMe 6.6", "May the sizes of chunks and stripes be any multiple, or only powers of two?", "powers of two", "") \
    A("AMB-N03", FIXED, "NVMe 6.6.1", "The size of a striping group is a power of which base?", "of two", "") \
    A("AMB-N04", FIXED, "NVMe 8.3, 8.5", "Which word of the 64-bit target address is first?", "the low one, as in the figures", "") \
    A("AMB-N05", FIXED, "NVMe 8.2", "Who chooses the two tags, and what value do they have before?", "each end chooses its own; the tag is then copied, and is 0 before", "any value before") \
    A("AMB-N06", FIXED, "NVMe 8.2, 8.3", "Do the counts of a split command refer to the whole command or to its half?", "to the whole command", "to the half, if always") \
    A("AMB-N07", FIXED, "NVMe 7.1, 7.2", "The flow figures contradict the numbering of Falcon.", "the text of Falcon decides", "") \
    A("AMB-N08", FIXED, "NVMe 6.7, 8.3", "Which bit of PRINFO has which meaning?", "the order of NVMe: bit 3 is PRACT", "") \
    A("AMB-N09", FIXED, "NVMe 6.7, 8.4, 8.7", "Are protection data interleaved in reads and separate in writes?", "yes, as it is written", "") \
    A("AMB-N10", FIXED, "NVMe 7.2", "Is the last Write Completion the last by number, or the last in time?", "the last in time", "") \
    A("AMB-N11", FIXED, "NVMe 6.7", "The text writes 0xFFFFh.", "0xFFFF", "") \
    A("AMB-N12", FIXED, "NVMe 6.3, 6.5", "Is there a Write Completion for each request, or for each data response?", "for each Write Request", "") \
    A("AMB-N13", FIXED, "NVMe 6.6.2, 8.5, 8.8", "The text does not define some names.", "the names of Falcon and of NVMe", "") \
    A("AMB-N14", FIXED, "NVMe 6.6.3", "The split test misses a crossing of chunks when a group has one stripe.", "the command is split when its chunk or its stripe differs", "") \
    A("AMB-N15", FIXED, "NVMe 6.5, 8.3", "How long is the last part of a command?", "its length follows from its block count", "") \
    A("AMB-N16", FIXED, "NVMe 7.1, 6.3", "When is a Read Request acknowledged?", "on receipt: its completion does not depend on the read", "later") \
    A("AMB-N17", FIXED, "NVMe 8.2", "Which packet has INV set, and how does the target react?", "the Write Data Response; the target writes nothing, and the completion is an error", "any status") \
    A("AMB-N18", FIXED, "NVMe 6.7", "Which tweak and which data unit does the encryption of blocks have?", "any", "") \
    A("AMB-N19", FIXED, "NVMe 6.7", "Is one application tag expected for all blocks of a command, or one for each block?", "one for all blocks", "one for each block, if always") \
    A("AMB-N20", FIXED, "NVMe 6.6.3", "Which status has a command whose parts had different statuses?", "that of any part that failed", "") \
    A("AMB-N21", FIXED, "NVMe 6.6.3", "Is a command split at a stripe boundary if N is 0?", "it may be split or not", "") \
    A("AMB-N22", FIXED, "NVMe 6.7", "Do tags follow the LBA of the part or that of the whole nCMD?", "either, if always", "") \
    A("AMB-N23", FIXED, "NVMe 7.2", "May a completion come before its data?", "the completion of an error may come without a pull", "") \
    A("AMB-N24", FIXED, "NVMe 8.2", "Where is an iCMD identifier unique?", "within a function and a connection", "")
/* clang-format on */

#endif
