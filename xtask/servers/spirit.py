# Fills a Spirit forum through its own models: `manage.py shell < spirit.py`. Prints one line of JSON: the posts
# made, and when they could be read.
# FILL=first makes boards, threads and posts; FILL=more adds to them; FILL=edit changes and removes.
import json, os, random, time
from datetime import timedelta
from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone
from spirit.category.models import Category
from spirit.comment.models import Comment
from spirit.topic.models import Topic

random.seed(7)
words = "queue parse shard héllo 日本語 token index latency cursor retry budget ledger harbour".split()
made = []


def say():
    return " ".join(random.choices(words, k=random.randint(6, 30)))


def post(topic, user, at, text=None):
    text = text or say() + f" {Comment.objects.count()}"
    comment = Comment.objects.create(user=user, topic=topic, comment=text, comment_html=f"<p>{text}</p>", date=at)
    made.append({"id": str(comment.pk), "text": text, "topic": topic.pk})
    count = Comment.objects.filter(topic=topic).count()
    Topic.objects.filter(pk=topic.pk).update(comment_count=count, last_active=at)


def first():
    users = [get_user_model().objects.create_user(username=f"member{i}", email=f"m{i}@example.com", password="pw") for i in range(12)]
    boards = [Category.objects.create(title=f"Board {name}", sort=i + 1) for i, name in enumerate(["Tea", "Boats", "Stars", "Maps", "Bread"])]
    boards.append(Category.objects.create(title="Green Tea", parent=boards[0], sort=1))
    start = timezone.now() - timedelta(days=60)
    for number in range(40):
        board = boards[0] if number < 25 else boards[number % 6]
        at = start + timedelta(hours=30 * number)
        topic = Topic.objects.create(category=board, user=users[number % 12], title=f"Thread {number} {say()[:30]}", date=at, is_pinned=number == 3)
        for turn in range(65 if number == 5 else 45 if number == 30 else 1 + number % 10):
            post(topic, users[(number + turn) % 12], at + timedelta(minutes=13 * turn))


def more():
    users = list(get_user_model().objects.filter(username__startswith="member"))
    now = timezone.now()
    for name in ("TOPIC", "LONG_TOPIC"):
        topic = Topic.objects.get(pk=int(os.environ[name]))
        post(topic, users[0], now, f"one more {topic.pk} {now.timestamp()}")
    board = Category.objects.get(title="Board Boats")
    topic = Topic.objects.create(category=board, user=users[1], title=f"Thread of {now.timestamp()}", date=now)
    post(topic, users[1], now, f"a new thread {now.timestamp()}")


def edit():
    Comment.objects.filter(pk=int(os.environ["EDITED"])).update(comment="second thoughts", comment_html="<p>second thoughts</p>")
    gone = Comment.objects.get(pk=int(os.environ["DELETED"]))
    topic = gone.topic
    gone.delete()
    post(topic, topic.user, timezone.now(), f"the last word {timezone.now().timestamp()}")


with transaction.atomic():
    {"first": first, "more": more, "edit": edit}[os.environ["FILL"]]()
print("MADE " + json.dumps({"posts": made, "at": time.time()}))
