"""The reader of the business database: whom a request means, and the facts of many athletes at one moment.

Belongs here: the SELECT statements on the archive and the making of `graphs.facts` records out of their rows. Stays
out: writing of any kind, name keys (`keifu_quality.db.athlete_index`), the proof and the contract of the database.
"""
