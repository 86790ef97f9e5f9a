/* SPDX-License-Identifier: Apache-2.0
 * ambiguity_list.h - where the specifications contradict themselves, say too little, or can be
 * read in several ways. Columns: id, where it stands, the question, how Talon reads it, what
 * else is tolerated (a warning), or "" for nothing. */
#ifndef FAL_ORACLES_CATALOGUE_AMBIGUITY_LIST_H
#define FAL_ORACLES_CATALOGUE_AMBIGUITY_LIST_H

/* clang-format off */
#define FAL_AMBIGUITIES(A) \
    A("AMB-01", "9.2.1, 9.2.5, 8.1", "Does the receiver's data base move when a push arrives, or when it is acknowledged?", "when it is acknowledged: else a cumulative base would complete a push that the upper layer has not taken", "") \
    A("AMB-02", "9.2.1", "The paragraph on DBPSN tells to update RBPSN.", "a misprint for DBPSN", "") \
    A("AMB-03", "6.6.6, 9.2.1, 7.7.2", "An example writes the bitmap of three packets after a lost base as 0b0111; which bit is which?", "bit n stands for base + n, and bit 0 is the last bit of the last word: 0b1110", "") \
    A("AMB-04", "7.7.1", "The BACK's congestion field has 22 bits in the table, 21 in the figure.", "22 bits; values sent stay below 2^21", "the bit in dispute may have any value") \
    A("AMB-05", "7.8", "The NACK's congestion field has 24 bits in the table, 23 in the figure.", "24 bits; values sent stay below 2^23", "the bit in dispute may have any value") \
    A("AMB-06", "7.7.1", "Which of the two OWN bits is the request window's?", "the lower one (wire bit 31), as all field indices count from the right", "the other order, in a SUT tested by itself") \
    A("AMB-07", "10.6.2.1, 7.7.1, 7.8", "Congestion metadata has 24 bits in the RUE's queues, 22 in a BACK.", "the queue's 64 bits are words 6 and 7 with OWN as the lowest two; results lose two bits in a BACK", "any; inside the SUT") \
    A("AMB-08", "9, 9.2.2.4", "Is base + window size still inside the receive window?", "no: a bitmap has no bit for it", "") \
    A("AMB-09", "9.1.2, 9.1.4, 9.2.2.4", "Comparisons of sequence numbers are written as if they did not wrap round.", "they are modulo 2^32, by the signed difference", "") \
    A("AMB-10", "6.1.2, 9.1.4", "Does the transmit window contain its right edge, and may it be larger than the bitmap?", "it does not; its size is free; only numbers already sent are looked at", "one packet more than the size") \
    A("AMB-11", "9.1.2, 10.3.5", "Is fcwnd rounded down, and does it hold for each window or for both together?", "rounded down, at least 1, for each window", "a fraction that lets one more out; one limit for both") \
    A("AMB-12", "7.8, 9.1.7, 9.2.2.4", "Is a packet beyond the receive window answered by OWN in an EACK, or by a NACK?", "discarded, OWN set, EACK; no NACK", "a NACK with code 1 besides") \
    A("AMB-13", "7.2, 9.1.8, 9.2.5", "To which window does the PSN of a Resync belong?", "to that of the packet it stands for", "always the data window, if the request window recovers otherwise") \
    A("AMB-14", "9.1.1, 9.1.5, 11", "Is the connection dead at the maximum of attempts, or is a Resync tried first? Which attempt is the last?", "a Resync after the timeout that follows the m-th copy; the connection dies when the Resync, too, was sent so often", "dead at once; one attempt more") \
    A("AMB-15", "8.4.3.4, 9.2.4, 11", "From when does an RNR delay run, and does an RNR retry count as an attempt?", "the longer of RTO and the delay, from the NACK; retries do not count", "the delay alone, also from the copy") \
    A("AMB-16", "8.5.3.4, 11", "Who offers a push again to the target's upper layer after RNR: the retransmission, or the target's own timer?", "the retransmission", "the target's own timer; never both") \
    A("AMB-17", "9.2.2.4, 11", "Is the copy of a push that waits for its upper layer dropped by the window or by the transaction sublayer?", "by the transaction sublayer, which may deliver it again after RNR", "dropped by the window where the target redelivers by itself") \
    A("AMB-18", "9.2.2.4, 11", "Is a discarded duplicate acknowledged at once, or after the coalescing timeout?", "within the coalescing timeout", "at once") \
    A("AMB-19", "9.1.1, 9.1.6, 9.2.2.4", "What starts and stops the coalescing timer?", "any packet, discarded ones too, and an answer of the upper layer start it; an ACK stops it, or a piggyback that says all", "any: only that news is told within one timeout is judged") \
    A("AMB-20", "9.1.6, 7.7.1", "Is a BACK allowed while pushes wait in order for the upper layer, and may it have OWN?", "a BACK will do when nothing is missing; OWN in a BACK is 0", "an EACK at any time") \
    A("AMB-21", "9.2.3", "An EACK's acknowledged bits are said to go to a bitmap that the transmitter has not.", "they go to its data ACK bitmap; received bits only show what is missing", "") \
    A("AMB-22", "9.2.3, 9.2.4, 10.1", "Is a round trip T4 - t1, or t2 - t1?", "T4 - t1; t1 and t2 are of two clocks", "") \
    A("AMB-23", "9.2.3, 9.2.4, 11", "What of an ACK with one newer and one older base, or with a base that was never sent?", "the whole ACK is discarded; of piggybacked bases each newer one counts", "each window on its own") \
    A("AMB-24", "7.5, 7.4", "The sentence that a pull's response has its request's RSN stands at Push Data.", "it is about Pull Data", "") \
    A("AMB-25", "7.3, 8.4.3.2, 11", "What if a pull's response has not the length that was asked for?", "shorter, also of no bytes: delivered as it is; longer: not delivered, completed in error", "a shorter one discarded, but for the empty one of CIE") \
    A("AMB-26", "7.2", "Types 1001b to 1111b are called reserved, though BACK and EACK have two of them.", "1000b to 1010b are the ACKs, 1011b and above reserved", "") \
    A("AMB-27", "7.2 to 7.8", "Some reserved bits stand in the figures only; does a receiver look at them?", "sent as 0, ignored on receipt", "non-zero bits that no table calls 0; dropping a packet with such bits") \
    A("AMB-28", "7.8", "The NACK's table and its figure order the fields differently.", "as in the figure", "") \
    A("AMB-29", "7.7.1, 7.8, 6.2", "Whose CID does an ACK or a NACK carry?", "that of the node that gets it", "") \
    A("AMB-30", "6.3, 7", "What becomes of packets with an unknown version, type or code?", "they are dropped and change nothing; a Resync with a reserved code counts as a Resync", "any handling that changes no state") \
    A("AMB-31", "7.1", "How much stays in the clear in a tunnel, and under ESP?", "the first 4 bytes of the Falcon header; in a PSP tunnel the inner IP header, too; under ESP nothing", "other offsets in a tunnel, as configured") \
    A("AMB-32", "7.7.1, 7.1, 10.3.6", "Which 32 bits of the 64-bit IV are t1?", "the IV is a time in picoseconds, and t1 is IV >> 17", "another place, kept to") \
    A("AMB-33", "9.2.2.2, 9.2.1, 6.5", "In which order are replay, SPI and window looked at, and what moves Remote Time?", "integrity, SPI, replay, window; any packet that passed the first three moves it", "any, as long as no packet that fails integrity moves it") \
    A("AMB-34", "9.2.2.3", "The pseudo-code of the SPI check has two spellings of one name and a bitwise not of a truth value.", "one name, a logical not; a new key takes the global generation", "") \
    A("AMB-35", "10.1, 10.3.4", "Does a smoothing constant of 1 mean all new, or all old?", "as in GetSmoothed for delays; as in 10.2 for occupancy", "either") \
    A("AMB-36", "10.3.4", "The flow scaling's alpha lacks two reciprocals.", "with them, as where the scheme comes from", "as it is written") \
    A("AMB-37", "10.3.4, 10.3.5", "The inter-packet gap is divided by fcwnd twice, and fcwnd = 1 is paced in one place only.", "no gap from 1 up, below it rtt / fcwnd", "a gap that grows") \
    A("AMB-38", "10.3.1, 10.5.2", "How is ncwnd rounded, and what is the decrease factor for that nobody uses?", "rounded down, then clamped; the factor is not used", "any neighbour integer; the factor used") \
    A("AMB-39", "10.3.2", "The retransmission handler tests for an event that it cannot have.", "the last event is meant; the window is clamped, the count starts again with an ACK", "any; inside the SUT") \
    A("AMB-40", "10.3.3", "The handler of resource NACKs smooths nothing and notes no direction.", "as the common handler does, one decrease a round trip", "a decrease for each NACK") \
    A("AMB-41", "10.3.6, 10.6.2", "The marker that guards ncwnd is described as fcwnd's.", "each guards its own; >= a round trip has passed, > moves the marker", "either side of equality") \
    A("AMB-42", "10.6.2.2", "The fields of a congestion result add up to 508 bits of 512.", "4 bits of padding at the end", "any; inside the SUT") \
    A("AMB-43", "10.6.1", "Three thresholds and two predicates decide which events the RUE gets, but not how.", "below the first always; then one predicate, then both, then never", "any, as long as an empty queue takes each event") \
    A("AMB-44", "10.2", "Both ends of a level of buffer occupancy belong to it.", "the number of thresholds that are not above it", "the neighbour, at equality") \
    A("AMB-45", "9.2.2.4, 8.5.3.1, 11", "Does a packet that is dropped for resources count as received?", "no: neither bit nor base", "") \
    A("AMB-46", "8.3", "Two scheduler queues in the text, three in the figure.", "two, so that requests keep their RSN order", "three") \
    A("AMB-47", "6.6.5, 8.4.3.5, 9.2.4", "When does the initiator's upper layer hear of a transaction that ended in CIE, NRE or CID?", "when the Resync that follows is acknowledged", "at once; never twice") \
    A("AMB-48", "9.2.5, 8.5.2", "Does a Resync fill the place of its RSN on an ordered connection?", "yes, also of a request that never came", "") \
    A("AMB-49", "8.5.3.4", "Who holds back what follows an RNRed request?", "Falcon: followers are NACKed or held, and not delivered before it", "followers delivered, and each answered with RNR") \
    A("AMB-50", "11", "Completion codes have two names each.", "the numbers count; one code has either name", "") \
    A("AMB-51", "7.6, 7.8, 9.1.8, 11", "xLR is nowhere defined.", "a drop filter at either end; its codes are understood from anybody", "an implementation without one") \
    A("AMB-52", "11", "The target's table lists a Resync: does it send one, or get one?", "it gets the initiator's", "") \
    A("AMB-53", "9.1.8, 9.1.2", "Which gate holds a Resync back?", "the fabric window alone, as for a response", "the host's window besides, if nothing locks up") \
    A("AMB-54", "8.2.3, 11", "What does the upper layer get that overruns its credits?", "a completion with code 0xB; the connection goes on", "any error completion") \
    A("AMB-55", "9.1.4", "Early retransmission: where do a bitmap's numbers begin, and what if it is empty?", "at the EACK's own base; an empty one shows nothing; packets under RNR delay are exempt", "either side of equality") \
    A("AMB-56", "9.1.3.1, 9.1.1", "Are the shares of packets that ask for an ACK a rule or a guideline?", "a guideline: a break warns", "") \
    A("AMB-57", "10.5.3, 10.4", "Are PLB's thresholds reached at equality?", "fraction and attempts are, the delay is not", "either side of equality") \
    A("AMB-58", "8.2.1.1, 9.1.5", "Must retransmissions be in RSN order?", "those that are due at one time", "") \
    A("AMB-59", "11, 9.2.4", "Is a pull NACKed with CID, CIE or NRE?", "no: its response says so, or nothing does", "a NACK with code 8 for a pull that was not acknowledged") \
    A("AMB-60", "9.1.6, 9.2.3", "Chapter 9 calls who makes an ACK the transmitter.", "a node is both; the role is that of the window that is meant", "") \
    A("AMB-61", "7.7.1, 10.1, 9.1.6", "Which packet do t1, t2, hop count and ECN count of an ACK speak of?", "the last reliable packet that passed the checks, duplicates too", "the last accepted one") \
    A("AMB-62", "7.7.1, 10.6.2.1", "From which TTL do hops count, and what if there are more than 15?", "from a configured one; 15 stands for more; ECN counts CE marks modulo 2^14", "") \
    A("AMB-63", "8.4.3, 8.5.3.2, 9.2.1", "Headings, packet names and references are misprinted.", "the obvious corrections", "") \
    A("AMB-64", "11, 9.2.2.1", "Must a packet that fails its integrity check raise an indication?", "it may; one that fails the SPI check must", "an indication for each failure") \
    A("AMB-65", "9.2.1, 8.5.3.4, 11", "Does the received bit of a push stay when its upper layer answered RNR?", "it stays; after a drop for resources it is not set", "taken back with the NACK that names it") \
    A("AMB-R01", "RDMA 8.1.3, 8.3.6, 8.3.7", "The opcode table exchanges the headers of atomic requests and responses.", "a request has AtomicETH, a response AtomicAckETH", "") \
    A("AMB-R02", "RDMA 8.2", "RBTH has an AckReq bit in its table, and no room for it in its figure.", "there is none; bit 22 is sent as 0", "bit 22 or 18 used for it") \
    A("AMB-R03", "RDMA 8.3.9, 8.3.10", "Is the reserved byte of DETH and XRCETH first or last?", "last, as in the figures", "first, as in InfiniBand") \
    A("AMB-R04", "RDMA 6.6.2, 8.1.3", "XRC is supported, but has no opcodes.", "those of InfiniBand, XRCETH right after RBTH", "any order") \
    A("AMB-R05", "RDMA 8.3.2", "Does RMSN count plain Sends?", "every Send and every Write with Immediate", "constant for plain Sends where order is strong") \
    A("AMB-R06", "RDMA 8.2", "Is SN counted per connection or per queue pair, and in which steps?", "per connection and direction, by 1, modulo 2^32", "other steps") \
    A("AMB-R07", "RDMA 6.7, 8.1.3, 8.3.1", "What length and opcode have the parts of a long READ?", "each part has its own address and length; a response may have any READ opcode", "the whole operation's length in a WRITE") \
    A("AMB-R08", "RDMA 6.7, 8.3.4", "Which header places a READ's response: OETH, or STETH?", "STETH", "") \
    A("AMB-R09", "RDMA 6.7, FTP 6.2", "Is the MTU that of the payload or of the whole packet?", "of the upper layer's payload", "the other, kept to") \
    A("AMB-R10", "RDMA 8.2", "What does CE tell, and to whom?", "in a request the target ends the message in error, in a response the initiator; the code is open", "any code") \
    A("AMB-R11", "RDMA 8.1.3", "Falcon's packets are called Push Request and Pull Response.", "Push Data and Pull Data", "") \
    A("AMB-R12", "RDMA 6.4", "Has a Write with Immediate on an unordered connection a longest size?", "one MTU, as a Send", "a longer one accepted") \
    A("AMB-R13", "RDMA 6.9, FTP 11", "Is a pull NACKed with CID?", "see AMB-59", "") \
    A("AMB-R14", "RDMA 8.1.3", "Opcode ranges have six digits for five bits.", "00110b to 11111b", "") \
    A("AMB-R15", "RDMA 5, 8", "Services and modes have several names.", "RC, XRC, UD; ordered and unordered connections", "") \
    A("AMB-R16", "RDMA 8.2, FTP 7.3", "Does Request Length count pad bytes?", "yes; they follow the payload", "any pad bytes") \
    A("AMB-N01", "NVMe 6.6.3, 8.3, 8.5", "Does NLB count from 0 or from 1, and is the split right?", "from 0, as NVMe does; both parts cover the range exactly", "from 1, if always") \
    A("AMB-N02", "NVMe 6.6", "Are chunks and stripes any multiple, or powers of two?", "powers of two", "") \
    A("AMB-N03", "NVMe 6.6.1", "A power of what?", "of two", "") \
    A("AMB-N04", "NVMe 8.3, 8.5", "Which word of the 64-bit target address is first?", "the low one, as in the figures", "") \
    A("AMB-N05", "NVMe 8.2", "Who chooses the two tags, and what are they before?", "each end its own; copied from then on, 0 before", "any value before") \
    A("AMB-N06", "NVMe 8.2, 8.3", "Do a split command's counts speak of the whole or of its half?", "of the whole", "of the half, if always") \
    A("AMB-N07", "NVMe 7.1, 7.2", "The flow figures contradict Falcon's numbering.", "the text of Falcon counts", "") \
    A("AMB-N08", "NVMe 6.7, 8.3", "Which bit of PRINFO is which?", "NVMe's order: bit 3 is PRACT", "") \
    A("AMB-N09", "NVMe 6.7, 8.4, 8.7", "Is protection data of reads interleaved, of writes separate?", "as it is written", "") \
    A("AMB-N10", "NVMe 7.2", "Is the last Write Completion the last by number, or in time?", "in time", "") \
    A("AMB-N11", "NVMe 6.7", "0xFFFFh.", "0xFFFF", "") \
    A("AMB-N12", "NVMe 6.3, 6.5", "Is there a Write Completion for each request, or for each data response?", "for each Write Request", "") \
    A("AMB-N13", "NVMe 6.6.2, 8.5, 8.8", "Some names are nowhere defined.", "those of Falcon and of NVMe", "") \
    A("AMB-N14", "NVMe 6.6.3", "The split test overlooks a crossing of chunks when a group has one stripe.", "split when chunk or stripe differ", "") \
    A("AMB-N15", "NVMe 6.5, 8.3", "How long is the last part of a command?", "as follows from its block count", "") \
    A("AMB-N16", "NVMe 7.1, 6.3", "When is a Read Request acknowledged?", "on receipt: its completion says nothing of the read", "later") \
    A("AMB-N17", "NVMe 8.2", "Where does INV stand, and what does the target do?", "in the Write Data Response; nothing is written, and the completion is an error", "any status")
/* clang-format on */

#endif
