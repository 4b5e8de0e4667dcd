-- The business database of the archive: enums, tables, defaults, keys and indexes as the site's own migrations leave them.
-- The sample and the tests load it; the product itself never changes the business database.
-- Timestamps hold UTC without saying so. Names are camelCase and must be quoted.

CREATE TYPE "AuditAction" AS ENUM ('create', 'update', 'delete', 'verify', 'merge', 'split');
CREATE TYPE "AuditActorType" AS ENUM ('admin', 'import_script', 'system');
CREATE TYPE "AuditReasonType" AS ENUM ('initial_entry', 'source_update', 'source_correction', 'stale_source', 'manual_error', 'format_normalization', 'translation_update', 'verification_update', 'entity_merge', 'entity_split', 'import', 'system');
CREATE TYPE "CompetitionType" AS ENUM ('university_ekiden', 'high_school_ekiden', 'corporate_ekiden', 'mixed_ekiden', 'track_meet', 'road_race', 'marathon');
CREATE TYPE "DataStatus" AS ENUM ('verified', 'pending', 'conflicting', 'missing');
CREATE TYPE "EventDiscipline" AS ENUM ('m1500', 'm3000', 'm3000sc', 'm5000', 'm10000', 'ten_mile', 'half_marathon', 'marathon', 'ekiden_leg', 'm800', 'm2000sc');
CREATE TYPE "ImportBatchStatus" AS ENUM ('pending', 'running', 'completed', 'failed');
CREATE TYPE "MembershipRole" AS ENUM ('athlete', 'coach', 'staff');
CREATE TYPE "MembershipType" AS ENUM ('origin', 'enrolled', 'affiliated', 'graduated', 'staff');
CREATE TYPE "NameVariantType" AS ENUM ('official', 'short', 'kana', 'romanized', 'chinese', 'english', 'former', 'media');
CREATE TYPE "OrganizationType" AS ENUM ('junior_high_school', 'high_school', 'university', 'corporate_team', 'company', 'club', 'organizer', 'prefecture_representative', 'student_union_select');
CREATE TYPE "PersonType" AS ENUM ('athlete', 'coach', 'staff');
CREATE TYPE "SourceType" AS ENUM ('university_official', 'hakone_official', 'ntv', 'jaaf', 'rikujokyogi_magazine', 'data_site', 'fan_site', 'pdf', 'manual');

CREATE TABLE "AuditLog" (
    "id" text NOT NULL,
    "entityType" text NOT NULL,
    "entityId" text NOT NULL,
    "action" "AuditAction" NOT NULL,
    "fieldName" text,
    "oldValue" jsonb,
    "newValue" jsonb,
    "reasonType" "AuditReasonType" NOT NULL,
    "reasonNote" text,
    "sourceId" text,
    "actorType" "AuditActorType" NOT NULL DEFAULT 'admin',
    "actorId" text,
    "batchId" text,
    "metadata" jsonb,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "AuditLog_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "CacheInvalidation" (
    "id" text NOT NULL,
    "scope" text NOT NULL,
    "version" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    CONSTRAINT "CacheInvalidation_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "Competition" (
    "id" text NOT NULL,
    "slug" text NOT NULL,
    "nameJa" text NOT NULL,
    "nameKana" text,
    "nameRoman" text,
    "nameZh" text,
    "nameEn" text,
    "type" "CompetitionType",
    "organizer" text,
    "region" text,
    "websiteUrl" text,
    "notes" text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    CONSTRAINT "Competition_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "CompetitionEdition" (
    "id" text NOT NULL,
    "competitionId" text NOT NULL,
    "slug" text NOT NULL,
    "editionNumber" integer,
    "year" integer NOT NULL,
    "officialName" text NOT NULL,
    "shortName" text,
    "startsOn" timestamp(3),
    "endsOn" timestamp(3),
    "notes" text,
    "sourceId" text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    CONSTRAINT "CompetitionEdition_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "ImportBatch" (
    "id" text NOT NULL,
    "key" text NOT NULL,
    "type" text NOT NULL,
    "status" "ImportBatchStatus" NOT NULL DEFAULT 'pending',
    "sourceId" text,
    "summary" text,
    "payload" jsonb,
    "startedAt" timestamp(3),
    "completedAt" timestamp(3),
    "errorMessage" text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    CONSTRAINT "ImportBatch_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "Membership" (
    "id" text NOT NULL,
    "personId" text NOT NULL,
    "organizationId" text NOT NULL,
    "type" "MembershipType" NOT NULL,
    "startYear" integer,
    "endYear" integer,
    "faculty" text,
    "department" text,
    "cohort" text,
    "role" "MembershipRole" NOT NULL DEFAULT 'athlete',
    "status" "DataStatus" NOT NULL DEFAULT 'pending',
    "notes" text,
    "sourceId" text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    "endDate" timestamp(3),
    "startDate" timestamp(3),
    CONSTRAINT "Membership_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "NameVariant" (
    "id" text NOT NULL,
    "value" text NOT NULL,
    "language" text,
    "type" "NameVariantType" NOT NULL,
    "isPrimary" boolean NOT NULL DEFAULT false,
    "personId" text,
    "organizationId" text,
    "competitionId" text,
    "sourceId" text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    CONSTRAINT "NameVariant_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "Organization" (
    "id" text NOT NULL,
    "slug" text NOT NULL,
    "nameJa" text NOT NULL,
    "nameKana" text,
    "nameRoman" text,
    "nameZh" text,
    "nameEn" text,
    "shortName" text,
    "type" "OrganizationType" NOT NULL,
    "location" text,
    "prefecture" text,
    "country" text NOT NULL DEFAULT 'JP',
    "websiteUrl" text,
    "status" "DataStatus" NOT NULL DEFAULT 'pending',
    "notes" text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    CONSTRAINT "Organization_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "Person" (
    "id" text NOT NULL,
    "slug" text NOT NULL,
    "displayNameJa" text NOT NULL,
    "displayNameKana" text,
    "displayNameRoman" text,
    "displayNameZh" text,
    "displayNameEn" text,
    "birthDate" timestamp(3),
    "hometown" text,
    "nationality" text,
    "heightCm" integer,
    "weightKg" integer,
    "type" "PersonType" NOT NULL DEFAULT 'athlete',
    "status" "DataStatus" NOT NULL DEFAULT 'pending',
    "notes" text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    "displayNameJaSearch" text NOT NULL DEFAULT '',
    CONSTRAINT "Person_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "PersonalBest" (
    "id" text NOT NULL,
    "personId" text NOT NULL,
    "discipline" "EventDiscipline" NOT NULL,
    "mark" text NOT NULL,
    "markMillis" integer,
    "achievedOn" timestamp(3),
    "competitionName" text,
    "venue" text,
    "organizationId" text,
    "stage" text,
    "isHighSchoolPb" boolean NOT NULL DEFAULT false,
    "isCollegePb" boolean NOT NULL DEFAULT false,
    "status" "DataStatus" NOT NULL DEFAULT 'pending',
    "notes" text,
    "sourceId" text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    CONSTRAINT "PersonalBest_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "PlayerRelationCache" (
    "id" text NOT NULL,
    "personId" text NOT NULL,
    "payload" jsonb NOT NULL,
    "generatedAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sourceHash" text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    CONSTRAINT "PlayerRelationCache_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "Race" (
    "id" text NOT NULL,
    "competitionEditionId" text NOT NULL,
    "slug" text NOT NULL,
    "name" text NOT NULL,
    "discipline" "EventDiscipline" NOT NULL,
    "leg" integer,
    "round" text,
    "heat" text,
    "distanceMeters" integer,
    "startsAt" timestamp(3),
    "status" "DataStatus" NOT NULL DEFAULT 'pending',
    "notes" text,
    "sourceId" text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    CONSTRAINT "Race_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "RaceResult" (
    "id" text NOT NULL,
    "personId" text NOT NULL,
    "organizationId" text,
    "isEntry" boolean NOT NULL DEFAULT false,
    "isStarter" boolean NOT NULL DEFAULT false,
    "isRaceDayChange" boolean NOT NULL DEFAULT false,
    "mark" text,
    "markMillis" integer,
    "teamRank" integer,
    "gradeAtRace" integer,
    "status" "DataStatus" NOT NULL DEFAULT 'pending',
    "notes" text,
    "sourceId" text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    "raceId" text NOT NULL,
    "rank" integer,
    CONSTRAINT "RaceResult_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "Source" (
    "id" text NOT NULL,
    "name" text NOT NULL,
    "url" text,
    "type" "SourceType" NOT NULL,
    "publishedOn" timestamp(3),
    "accessedOn" timestamp(3),
    "reliability" integer NOT NULL DEFAULT 3,
    "notes" text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    CONSTRAINT "Source_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "SourceReference" (
    "id" text NOT NULL,
    "sourceId" text NOT NULL,
    "sourceEntityType" text NOT NULL,
    "sourceEntityKey" text NOT NULL,
    "sourceUrl" text,
    "personId" text,
    "organizationId" text,
    "competitionId" text,
    "competitionEditionId" text,
    "raceId" text,
    "metadata" jsonb,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    CONSTRAINT "SourceReference_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "TeamCompetitionLegSnapshot" (
    "id" text NOT NULL,
    "teamCompetitionResultId" text NOT NULL,
    "leg" integer NOT NULL,
    "cumulativeRank" integer,
    "cumulativeMark" text,
    "cumulativeMarkMillis" integer,
    "gapFromLeader" text,
    "gapFromLeaderMillis" integer,
    "status" "DataStatus" NOT NULL DEFAULT 'pending',
    "notes" text,
    "sourceId" text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    CONSTRAINT "TeamCompetitionLegSnapshot_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "TeamCompetitionResult" (
    "id" text NOT NULL,
    "competitionEditionId" text NOT NULL,
    "organizationId" text NOT NULL,
    "finalRank" integer,
    "finalMark" text,
    "finalMarkMillis" integer,
    "status" "DataStatus" NOT NULL DEFAULT 'pending',
    "notes" text,
    "sourceId" text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" timestamp(3) NOT NULL,
    CONSTRAINT "TeamCompetitionResult_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "AuditLog_action_idx" ON "AuditLog" ("action");
CREATE INDEX "AuditLog_batchId_idx" ON "AuditLog" ("batchId");
CREATE INDEX "AuditLog_createdAt_idx" ON "AuditLog" ("createdAt");
CREATE INDEX "AuditLog_entityType_entityId_idx" ON "AuditLog" ("entityType", "entityId");
CREATE INDEX "AuditLog_reasonType_idx" ON "AuditLog" ("reasonType");
CREATE UNIQUE INDEX "CacheInvalidation_scope_key" ON "CacheInvalidation" ("scope");
CREATE UNIQUE INDEX "Competition_slug_key" ON "Competition" ("slug");
CREATE UNIQUE INDEX "CompetitionEdition_slug_key" ON "CompetitionEdition" ("slug");
CREATE INDEX "CompetitionEdition_competitionId_idx" ON "CompetitionEdition" ("competitionId");
CREATE INDEX "CompetitionEdition_year_idx" ON "CompetitionEdition" ("year");
CREATE UNIQUE INDEX "ImportBatch_key_key" ON "ImportBatch" ("key");
CREATE INDEX "ImportBatch_createdAt_idx" ON "ImportBatch" ("createdAt");
CREATE INDEX "ImportBatch_status_idx" ON "ImportBatch" ("status");
CREATE INDEX "ImportBatch_type_idx" ON "ImportBatch" ("type");
CREATE INDEX "Membership_endDate_idx" ON "Membership" ("endDate");
CREATE INDEX "Membership_organizationId_idx" ON "Membership" ("organizationId");
CREATE INDEX "Membership_organizationId_personId_idx" ON "Membership" ("organizationId", "personId");
CREATE INDEX "Membership_organizationId_startYear_endYear_idx" ON "Membership" ("organizationId", "startYear", "endYear");
CREATE INDEX "Membership_personId_idx" ON "Membership" ("personId");
CREATE INDEX "Membership_personId_organizationId_idx" ON "Membership" ("personId", "organizationId");
CREATE INDEX "Membership_personId_startDate_endDate_idx" ON "Membership" ("personId", "startDate", "endDate");
CREATE INDEX "Membership_role_idx" ON "Membership" ("role");
CREATE INDEX "Membership_startDate_idx" ON "Membership" ("startDate");
CREATE INDEX "Membership_type_idx" ON "Membership" ("type");
CREATE INDEX "NameVariant_competitionId_idx" ON "NameVariant" ("competitionId");
CREATE INDEX "NameVariant_organizationId_idx" ON "NameVariant" ("organizationId");
CREATE INDEX "NameVariant_personId_idx" ON "NameVariant" ("personId");
CREATE INDEX "NameVariant_value_idx" ON "NameVariant" ("value");
CREATE UNIQUE INDEX "Organization_slug_key" ON "Organization" ("slug");
CREATE UNIQUE INDEX "Person_slug_key" ON "Person" ("slug");
CREATE INDEX "Person_hometown_idx" ON "Person" ("hometown");
CREATE INDEX "Person_status_updatedAt_idx" ON "Person" ("status", "updatedAt");
CREATE INDEX "Person_type_status_idx" ON "Person" ("type", "status");
CREATE INDEX "PersonalBest_discipline_idx" ON "PersonalBest" ("discipline");
CREATE INDEX "PersonalBest_personId_idx" ON "PersonalBest" ("personId");
CREATE UNIQUE INDEX "PlayerRelationCache_personId_key" ON "PlayerRelationCache" ("personId");
CREATE INDEX "PlayerRelationCache_generatedAt_idx" ON "PlayerRelationCache" ("generatedAt");
CREATE UNIQUE INDEX "Race_slug_key" ON "Race" ("slug");
CREATE INDEX "Race_competitionEditionId_idx" ON "Race" ("competitionEditionId");
CREATE INDEX "Race_competitionEditionId_leg_startsAt_idx" ON "Race" ("competitionEditionId", "leg", "startsAt");
CREATE INDEX "Race_competitionEditionId_startsAt_idx" ON "Race" ("competitionEditionId", "startsAt");
CREATE INDEX "Race_discipline_idx" ON "Race" ("discipline");
CREATE INDEX "Race_leg_idx" ON "Race" ("leg");
CREATE INDEX "RaceResult_organizationId_idx" ON "RaceResult" ("organizationId");
CREATE INDEX "RaceResult_organizationId_personId_idx" ON "RaceResult" ("organizationId", "personId");
CREATE INDEX "RaceResult_personId_idx" ON "RaceResult" ("personId");
CREATE INDEX "RaceResult_personId_raceId_idx" ON "RaceResult" ("personId", "raceId");
CREATE INDEX "RaceResult_raceId_idx" ON "RaceResult" ("raceId");
CREATE INDEX "RaceResult_raceId_markMillis_idx" ON "RaceResult" ("raceId", "markMillis");
CREATE INDEX "RaceResult_raceId_personId_idx" ON "RaceResult" ("raceId", "personId");
CREATE INDEX "RaceResult_raceId_rank_idx" ON "RaceResult" ("raceId", "rank");
CREATE UNIQUE INDEX "SourceReference_sourceId_sourceEntityType_sourceEntityKey_key" ON "SourceReference" ("sourceId", "sourceEntityType", "sourceEntityKey");
CREATE INDEX "SourceReference_competitionEditionId_idx" ON "SourceReference" ("competitionEditionId");
CREATE INDEX "SourceReference_competitionId_idx" ON "SourceReference" ("competitionId");
CREATE INDEX "SourceReference_organizationId_idx" ON "SourceReference" ("organizationId");
CREATE INDEX "SourceReference_personId_idx" ON "SourceReference" ("personId");
CREATE INDEX "SourceReference_raceId_idx" ON "SourceReference" ("raceId");
CREATE UNIQUE INDEX "TeamCompetitionLegSnapshot_teamCompetitionResultId_leg_key" ON "TeamCompetitionLegSnapshot" ("teamCompetitionResultId", "leg");
CREATE INDEX "TeamCompetitionLegSnapshot_leg_cumulativeRank_idx" ON "TeamCompetitionLegSnapshot" ("leg", "cumulativeRank");
CREATE UNIQUE INDEX "TeamCompetitionResult_competitionEditionId_organizationId_key" ON "TeamCompetitionResult" ("competitionEditionId", "organizationId");
CREATE INDEX "TeamCompetitionResult_competitionEditionId_finalRank_idx" ON "TeamCompetitionResult" ("competitionEditionId", "finalRank");
CREATE INDEX "TeamCompetitionResult_organizationId_competitionEditionId_idx" ON "TeamCompetitionResult" ("organizationId", "competitionEditionId");

ALTER TABLE "AuditLog" ADD CONSTRAINT "AuditLog_sourceId_fkey"
    FOREIGN KEY ("sourceId") REFERENCES "Source" ("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "CompetitionEdition" ADD CONSTRAINT "CompetitionEdition_competitionId_fkey"
    FOREIGN KEY ("competitionId") REFERENCES "Competition" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "CompetitionEdition" ADD CONSTRAINT "CompetitionEdition_sourceId_fkey"
    FOREIGN KEY ("sourceId") REFERENCES "Source" ("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "ImportBatch" ADD CONSTRAINT "ImportBatch_sourceId_fkey"
    FOREIGN KEY ("sourceId") REFERENCES "Source" ("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "Membership" ADD CONSTRAINT "Membership_organizationId_fkey"
    FOREIGN KEY ("organizationId") REFERENCES "Organization" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "Membership" ADD CONSTRAINT "Membership_personId_fkey"
    FOREIGN KEY ("personId") REFERENCES "Person" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "Membership" ADD CONSTRAINT "Membership_sourceId_fkey"
    FOREIGN KEY ("sourceId") REFERENCES "Source" ("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "NameVariant" ADD CONSTRAINT "NameVariant_competitionId_fkey"
    FOREIGN KEY ("competitionId") REFERENCES "Competition" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "NameVariant" ADD CONSTRAINT "NameVariant_organizationId_fkey"
    FOREIGN KEY ("organizationId") REFERENCES "Organization" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "NameVariant" ADD CONSTRAINT "NameVariant_personId_fkey"
    FOREIGN KEY ("personId") REFERENCES "Person" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "NameVariant" ADD CONSTRAINT "NameVariant_sourceId_fkey"
    FOREIGN KEY ("sourceId") REFERENCES "Source" ("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "PersonalBest" ADD CONSTRAINT "PersonalBest_personId_fkey"
    FOREIGN KEY ("personId") REFERENCES "Person" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "PersonalBest" ADD CONSTRAINT "PersonalBest_sourceId_fkey"
    FOREIGN KEY ("sourceId") REFERENCES "Source" ("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "PlayerRelationCache" ADD CONSTRAINT "PlayerRelationCache_personId_fkey"
    FOREIGN KEY ("personId") REFERENCES "Person" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "Race" ADD CONSTRAINT "Race_competitionEditionId_fkey"
    FOREIGN KEY ("competitionEditionId") REFERENCES "CompetitionEdition" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "Race" ADD CONSTRAINT "Race_sourceId_fkey"
    FOREIGN KEY ("sourceId") REFERENCES "Source" ("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "RaceResult" ADD CONSTRAINT "RaceResult_organizationId_fkey"
    FOREIGN KEY ("organizationId") REFERENCES "Organization" ("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "RaceResult" ADD CONSTRAINT "RaceResult_personId_fkey"
    FOREIGN KEY ("personId") REFERENCES "Person" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "RaceResult" ADD CONSTRAINT "RaceResult_raceId_fkey"
    FOREIGN KEY ("raceId") REFERENCES "Race" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "RaceResult" ADD CONSTRAINT "RaceResult_sourceId_fkey"
    FOREIGN KEY ("sourceId") REFERENCES "Source" ("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "SourceReference" ADD CONSTRAINT "SourceReference_competitionEditionId_fkey"
    FOREIGN KEY ("competitionEditionId") REFERENCES "CompetitionEdition" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "SourceReference" ADD CONSTRAINT "SourceReference_competitionId_fkey"
    FOREIGN KEY ("competitionId") REFERENCES "Competition" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "SourceReference" ADD CONSTRAINT "SourceReference_organizationId_fkey"
    FOREIGN KEY ("organizationId") REFERENCES "Organization" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "SourceReference" ADD CONSTRAINT "SourceReference_personId_fkey"
    FOREIGN KEY ("personId") REFERENCES "Person" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "SourceReference" ADD CONSTRAINT "SourceReference_raceId_fkey"
    FOREIGN KEY ("raceId") REFERENCES "Race" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "SourceReference" ADD CONSTRAINT "SourceReference_sourceId_fkey"
    FOREIGN KEY ("sourceId") REFERENCES "Source" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "TeamCompetitionLegSnapshot" ADD CONSTRAINT "TeamCompetitionLegSnapshot_sourceId_fkey"
    FOREIGN KEY ("sourceId") REFERENCES "Source" ("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "TeamCompetitionLegSnapshot" ADD CONSTRAINT "TeamCompetitionLegSnapshot_teamCompetitionResultId_fkey"
    FOREIGN KEY ("teamCompetitionResultId") REFERENCES "TeamCompetitionResult" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "TeamCompetitionResult" ADD CONSTRAINT "TeamCompetitionResult_competitionEditionId_fkey"
    FOREIGN KEY ("competitionEditionId") REFERENCES "CompetitionEdition" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "TeamCompetitionResult" ADD CONSTRAINT "TeamCompetitionResult_organizationId_fkey"
    FOREIGN KEY ("organizationId") REFERENCES "Organization" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "TeamCompetitionResult" ADD CONSTRAINT "TeamCompetitionResult_sourceId_fkey"
    FOREIGN KEY ("sourceId") REFERENCES "Source" ("id") ON DELETE SET NULL ON UPDATE CASCADE;
